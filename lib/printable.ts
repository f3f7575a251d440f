/**
 * A text on one line that cannot act on a terminal: control characters, line breaks, what reorders text and what nobody
 * sees are written as JSON escapes, so that nothing foreign can forge a line, hide one or pass for another. So many
 * blanks that what follows could stand on the next line of a terminal are counted instead.
 */
export function printable(text: string): string {
  return text
    .replace(unprintable, character => short[character] ?? escaped(character))
    .replace(manyBlanks, blanks => ` (${blanks.length} blanks) `)
}

/**
 * A value as JSON that a terminal may show: the same characters stand in it as escapes, so that a parser reads the value
 * as it is. With `indent` it has lines of its own.
 */
export function printableJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(unprintable, character =>
    character === '\n' ? character : escaped(character),
  )
}

/** Also what joins emoji to one, or gives them their colors, but not where it stands after one. */
const unprintable =
  /(?!(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)(?:\ufe0f|\u200d))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Not in front, where a line of ours is indented, nor at the end. */
const manyBlanks = /(?<=[^\p{Zs}\u2800])[\p{Zs}\u2800]{20,}(?=[^\p{Zs}\u2800])/gu

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** JSON knows 16 bits at a time. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unitText(character.charCodeAt(at))).join('')
}

function unitText(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
