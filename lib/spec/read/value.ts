import type { Text } from '../../state/secret.ts'
import type { Secrets } from '../../state/secrets.ts'
import type { Value } from '../application.gen.ts'
import type { Spot } from '../spot.ts'
import { readSecret } from './secret.ts'
import { substitute, type Variables } from './variables.ts'

/** What values may name. */
export type Known = { readonly variables: Variables; readonly secrets: Secrets }

/** A text with variables, or a secret by its name (A46, G16); undefined after a fault was noted at `spot.at(key)`. */
export function readValue(written: Value, known: Known, spot: Spot, key: string | number): Text | undefined {
  if (typeof written === 'object') return readSecret(written.secret, known.secrets, spot.at(key))
  if (typeof written !== 'number' || Number.isSafeInteger(written))
    return substitute(String(written), known, String(key), spot)
  spot.at(key).fault('is a number that loses its spelling; put it in quotes')
  return undefined
}
