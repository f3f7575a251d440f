/**
 * A text on one line that cannot act on a terminal: control characters, line breaks and the characters that reorder
 * text are written as JSON escapes, so that nothing foreign can forge a line or hide one.
 */
export function printable(text: string): string {
  return text.replace(unprintable, character => short[character] ?? escaped(character))
}

const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
