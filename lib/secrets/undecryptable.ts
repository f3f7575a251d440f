import { Failure } from '../errors.ts'

/** Returns the failure for what cannot be decrypted, and why. */
export function undecryptable(message: string): Failure {
  return new Failure('secrets-undecryptable', message)
}
