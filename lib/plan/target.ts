import { hashOf } from '../state/canonical.ts'

/** One value for the fingerprints a service has, in any order; `absent` for none. */
export function targetOf(fingerprints: readonly string[]): string {
  return fingerprints.length === 0 ? 'absent' : hashOf([...fingerprints].sort())
}
