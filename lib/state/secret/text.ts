import { Secret, type Text } from './secret.ts'
import type { Secrets } from './secrets.ts'

/**
 * Returns the text itself. Only the code that passes it to the engine may call this, so that no secret appears
 * elsewhere (G16).
 */
export function reveal(text: Text): string {
  return text instanceof Secret ? text.reveal() : text
}

/** Returns the length of a text. Of a secret nothing else may be shown. */
export function lengthOf(text: Text): number {
  return reveal(text).length
}

/** Joins texts in their order. The result is as secret as any of them. */
export function joined(parts: readonly Text[], { compose }: Pick<Secrets, 'compose'>): Text {
  const whole = parts.map(reveal).join('')
  return parts.some(part => part instanceof Secret) ? compose(whole) : whole
}

/** Returns the text after `change`, as secret as it was. */
export function changed(
  text: Text,
  change: (text: string) => string,
  { compose }: Pick<Secrets, 'compose'>,
): Text {
  return text instanceof Secret ? compose(change(text.reveal())) : change(text)
}
