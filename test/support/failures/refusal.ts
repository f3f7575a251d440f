import { Failure, formatProblem, InvalidInput } from '../../../lib/errors.ts'

/** What an action is refused for, line by line as users read it; an action that is not refused is a failed test. */
export async function refusal(action: () => unknown): Promise<readonly string[]> {
  try {
    await action()
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(formatProblem)
    if (error instanceof Failure) return [`${error.message} (${error.code})`]
    throw error
  }
  throw new Error('it was not refused')
}
