import { limits } from '../limits.ts'

/**
 * Returns a text with at most `limits.messageCharacters` characters (G24). The middle of a longer one is left out and
 * counted: where something is wrong stands at the beginning of a message, and the reason often at its end. Applied
 * again it changes nothing.
 */
export function bounded(text: string): string {
  return cut(text, limits.messageCharacters)
}

/** Returns a text whose lines are bounded one by one, because the output of a container is part of some messages. */
export function boundedLines(text: string): string {
  return cut(text.split('\n').map(bounded).join('\n'), limits.messageLines * limits.messageCharacters)
}

/** Returns a text with at most so many characters: of a longer one the beginning, and an ellipsis at its end. */
export function withEllipsis(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most * 0.6)
  const tail = Math.floor(most * 0.3)
  return `${text.slice(0, head)}… (${text.length - head - tail} more characters) …${text.slice(text.length - tail)}`
}
