import type { Text } from '../../../state/secret/secret.ts'
import type { Value } from '../../application.gen.ts'
import type { Spot } from '../../spot.ts'
import { type Known, substitute } from './dollars.ts'
import { readSecret } from './secret.ts'

/**
 * Returns a text with its variables replaced, or a secret by its name (A46, G16); undefined after a fault was noted at
 * `spot.at(key)`.
 */
export function readValue(written: Value, known: Known, spot: Spot, key: string | number): Text | undefined {
  if (typeof written === 'object') return readSecret(written.secret, known.secrets, spot.at(key))
  return substitute(spot.at(key).text(written), known, spot, String(key))
}
