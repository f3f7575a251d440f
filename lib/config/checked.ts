import { InvalidInput, type Problem } from '../errors.ts'

/** What was read, or all that is wrong with it: without a value, there are problems. */
export type Checked<T> = { readonly value?: T; readonly problems: readonly Problem[] }

/** Returns what is read, or the problems of the `InvalidInput` with which reading fails. Any other error is thrown. */
export function checked<T>(read: () => T): Checked<T> {
  try {
    return { value: read(), problems: [] }
  } catch (error) {
    if (error instanceof InvalidInput) return { problems: error.problems }
    throw error
  }
}
