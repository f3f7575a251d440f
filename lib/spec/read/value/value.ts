import type { Secret, Text } from '../../../state/secret/secret.ts'
import type { Value } from '../../application.gen.ts'
import type { Spot } from '../../spot.ts'
import { type Nameable, substitute, substitutePlain } from './dollars.ts'
import { readSecret } from './secret.ts'

/**
 * Returns a text with its variables replaced, or a secret by its name (A46, G16); undefined after a fault was noted at
 * `spot.at(key)`.
 */
export function readValue(
  written: Value,
  known: Nameable,
  spot: Spot,
  key: string | number,
): Text | undefined {
  if (typeof written === 'object') return readNamedSecret(written.secret, known, spot.at(key))
  return substitute(spot.at(key).text(written), known, spot, String(key))
}

/** Reads a secret by a name with variables (A46), which everybody may read and so cannot be secrets themselves. */
export function readNamedSecret(name: string, known: Nameable, spot: Spot): Secret | undefined {
  return readSecret(substitutePlain(name, known, spot), known.secrets, spot)
}
