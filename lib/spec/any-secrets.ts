import { Secret } from '../state/secret/secret.ts'
import type { Secrets } from '../state/secret/secrets.ts'

/**
 * Secrets for checks without providers: every name exists, and below every prefix is one. Nothing ever runs with these.
 */
export const anySecrets: Secrets = {
  find: () => new Secret('', ''),
  below: () => ['any'],
  compose: () => new Secret('', ''),
  mark: '',
}
