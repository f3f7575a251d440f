import { Secret, type Text } from '../../state/secret.ts'
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

/** One text of several, in their order; as secret as any of them. */
export function joined(parts: readonly Text[], { compose }: Secrets): Text {
  const whole = parts.map(reveal).join('')
  return parts.some(part => part instanceof Secret) ? compose(whole) : whole
}

/** The text as `change` makes it, as secret as it was. */
export function changed(text: Text, change: (text: string) => string, { compose }: Secrets): Text {
  return text instanceof Secret ? compose(change(text.reveal())) : change(text)
}

function reveal(text: Text): string {
  return text instanceof Secret ? text.reveal() : text
}
