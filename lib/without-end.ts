/**
 * The text without any of these characters at its end. A regular expression would look for their end from every one of
 * them, which takes time with the square of a text that others write.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
