import { hashOf } from '../canonical.ts'
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

/** Joins texts in their order. The result is as secret as any of them, and unknown if any is. */
export function joined(parts: readonly Text[], { compose }: Pick<Secrets, 'compose'>): Text {
  const secrets = parts.filter(part => part instanceof Secret)
  // Its mark tells it from everything that is joined from other texts.
  if (secrets.some(({ isKnown }) => !isKnown)) return new Secret(undefined, hashOf(parts))
  const whole = parts.map(reveal).join('')
  return secrets.length > 0 ? compose(whole) : whole
}

/** Returns the text after `change`, as secret as it was. One that is unknown stays as it is. */
export function changed(
  text: Text,
  change: (text: string) => string,
  { compose }: Pick<Secrets, 'compose'>,
): Text {
  if (!(text instanceof Secret)) return change(text)
  return text.isKnown ? compose(change(text.reveal())) : text
}
