/**
 * Returns the text without these characters at its end. A regular expression would look for the end from each of them,
 * which takes quadratic time on foreign text.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
