import { hashOf } from '../state/canonical.ts'
import { Secret } from '../state/secret/secret.ts'
import type { Secrets } from '../state/secret/secrets.ts'

/**
 * Secrets for checks without providers: every name exists, and nobody knows which there are below a prefix. Two that are
 * asked for under different names are different, so that what repositories say can be compared. Nothing ever runs with
 * these.
 */
export const anySecrets: Secrets = {
  find: name => new Secret(undefined, hashOf(name)),
  below: () => undefined,
  compose: text => new Secret(undefined, hashOf(text)),
  mark: '',
}
