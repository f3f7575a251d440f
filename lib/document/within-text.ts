/**
 * Returns the offset in a file of one character of a text value, of which `start` is the offset where it begins: a
 * plain or quoted text of YAML or JSON, or a block after `|` or `>`. What folding and escapes make different is passed
 * over. If the two cannot be followed any further, for example after `\u0041`, it is the last place that is known.
 */
export function offsetWithin(file: string, start: number, value: string, offset: number): number {
  const form = formOf(file.slice(start, start + 1))
  let at = contentOf(file, start, form)
  let last = at
  for (let index = 0; index < offset; index += 1) {
    const character = value.charAt(index)
    if (isSpace(character)) continue
    while (isSpace(file.charAt(at))) at += 1
    if (form === 'escaped' && file.charAt(at) === '\\') at += 1
    if (file.charAt(at) !== character) return last
    at += form === 'doubled' && character === "'" ? 2 : 1
    last = at
  }
  if (offset >= value.trimEnd().length) return last
  while (isSpace(file.charAt(at))) at += 1
  return at
}

/** How the characters of a text are written: with backslashes, with quotes doubled, in a block, or as they are. */
type Form = 'escaped' | 'doubled' | 'block' | 'plain'

function formOf(first: string): Form {
  if (first === '"') return 'escaped'
  if (first === "'") return 'doubled'
  return first === '|' || first === '>' ? 'block' : 'plain'
}

/** Returns where the content begins: after the quote, or in the line after the sign of a block. */
function contentOf(file: string, start: number, form: Form): number {
  if (form === 'plain') return start
  if (form !== 'block') return start + 1
  const end = file.indexOf('\n', start)
  return end === -1 ? file.length : end + 1
}

function isSpace(character: string): boolean {
  return /^\s$/.test(character)
}
