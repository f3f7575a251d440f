/**
 * Returns a text on one line that cannot control a terminal. Control characters, line breaks, invisible characters and
 * characters that reorder text become JSON escapes, so that foreign text cannot forge a line, hide one or pass for
 * another. If so many blanks follow each other that the rest could move to the next line of a terminal, they are
 * replaced by their number.
 */
export function printable(text: string): string {
  return text
    .replace(unprintable, character => short[character] ?? escaped(character))
    .replace(manyBlanks, (blanks, at: number, whole: string) =>
      isOurs(blanks, at, whole) ? blanks : ` (${blanks.length} blanks) `,
    )
}

/**
 * Returns a value as JSON that a terminal may show. The same characters become escapes within strings, so that a parser
 * reads the original value. With `indent` it has several lines.
 */
export function printableJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(unprintable, character =>
    character === '\n' ? character : escaped(character),
  )
}

/** Includes the characters that join emoji or colour them, except after an emoji. */
const unprintable =
  /(?!(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)(?:\ufe0f|\u200d))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const manyBlanks = /[\p{Zs}\u2800]{20,}/gu

/** Our own lines begin and end with simple blanks, which indent them and fill up columns. */
function isOurs(blanks: string, at: number, whole: string): boolean {
  const isBetween = at > 0 && at + blanks.length < whole.length
  return !isBetween && /^ +$/.test(blanks)
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A JSON escape has 16 bits. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unitText(character.charCodeAt(at))).join('')
}

function unitText(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
