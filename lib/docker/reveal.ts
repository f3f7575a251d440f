import { Secret, type Text } from '../state/secret.ts'

/** The text itself, for the engine's eyes only: here, and nowhere else, secrets are given away (G16). */
export function reveal(text: Text): string {
  return text instanceof Secret ? text.reveal() : text
}
