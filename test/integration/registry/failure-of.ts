import { Failure } from '../../../lib/errors.ts'

/** The Failure a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const outcome = await promise.then(
    value => ({ value }),
    (error: unknown) => error,
  )
  if (outcome instanceof Failure) return outcome
  throw new Error(`expected a Failure, got ${JSON.stringify(outcome)}`)
}
