import { Failure } from '../../../lib/errors.ts'

/** The Failure that a promise is rejected with. A test fails with whatever else happens. */
export async function failureOf(asked: Promise<unknown>): Promise<Failure> {
  const error = await asked.then(
    answer => new Error(`was not refused: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Failure)) throw error
  return error
}
