import { Secret, type Text } from './secret.ts'
import type { Secrets } from './secrets.ts'

/** The text itself, for the engine's eyes only: no place but the edge to it gives secrets away (G16). */
export function reveal(text: Text): string {
  return text instanceof Secret ? text.reveal() : text
}

/** How long a text is: no more is told of a secret. */
export function lengthOf(text: Text): number {
  return reveal(text).length
}

/** One text of several, in their order; as secret as any of them. */
export function joined(parts: readonly Text[], { compose }: Pick<Secrets, 'compose'>): Text {
  const whole = parts.map(reveal).join('')
  return parts.some(part => part instanceof Secret) ? compose(whole) : whole
}

/** The text as `change` makes it, as secret as it was. */
export function changed(
  text: Text,
  change: (text: string) => string,
  { compose }: Pick<Secrets, 'compose'>,
): Text {
  return text instanceof Secret ? compose(change(text.reveal())) : change(text)
}
