import { Failure } from '../../errors.ts'
import { type Refusal, refused } from './refusal.ts'

/** Returns the refusal of a volume that says who writes. Without it nobody can tell who else writes there (D17). */
export function claimRefused(site: string, refusal: Refusal): Failure {
  const failure = refused(site, 'claim', refusal)
  const { code, message: words, resource = '' } = failure
  if (code !== 'engine-refused' && code !== 'engine-unsupported') return failure
  return new Failure('claim-refused', words, { resource, cause: failure })
}

/**
 * Whether volumes are kept from whoever asks, as a proxy in front of an engine does. Nothing can be written then, and
 * what can be seen is still shown. An error of the engine itself is something else.
 */
export function areVolumesKept({ status }: Refusal): boolean {
  return status >= 400 && status < 500
}
