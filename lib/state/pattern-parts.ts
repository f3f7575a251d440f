/**
 * Returns how many parts a regular expression has once its counted repetitions are written out: `\d{1,9}` has nine, and
 * `(ab){3}` twelve. A part is a character, an escape, a class in brackets, an operator or a parenthesis. An expression
 * never compiles to more than two instructions for each part, and three more, so its cost is known before (G24).
 * Of a text that is no regular expression, the number means nothing.
 */
export function patternParts(text: string): number {
  const outer: number[] = []
  let sum = 0
  /** The parts of what a repetition would repeat. */
  let last = 0
  for (const part of partsIn(text)) {
    if (part.is === 'literal') {
      sum += part.length
      if (part.length > 0) last = 1
    } else if (part.is === 'repetition') {
      sum += last * (part.times - 1)
      last *= part.times
    } else if (part.is === 'operator') {
      sum += 1
      last += 1
    } else if (part.is === 'open') {
      outer.push(sum)
      sum = 0
    } else {
      last = sum + 2
      sum = last + (outer.pop() ?? 0)
    }
  }
  return outer.reduce((all, before) => all + before, sum)
}

/** What stands at one place of a regular expression; `length` counts characters that are matched one after another. */
type Part =
  | { readonly is: 'literal'; readonly length: number }
  | { readonly is: 'repetition'; readonly times: number }
  /** One of `*`, `+` and `?`; or flags, which stand between what is repeated and its repetition without being either. */
  | { readonly is: 'operator' }
  | { readonly is: 'open' }
  | { readonly is: 'close' }

const one: Part = { is: 'literal', length: 1 }

function* partsIn(text: string): Generator<Part> {
  for (let at = 0; at < text.length; ) {
    const [part, end] = partAt(text, at)
    yield part
    at = end
  }
}

/** Returns the part that begins there, and where it ends. */
function partAt(text: string, at: number): readonly [Part, number] {
  switch (text[at]) {
    case '\\':
      return text[at + 1] === 'Q' ? quotedAt(text, at + 2) : [one, endOf(escaped, text, at)]
    case '[':
      return [one, endOfClass(text, at)]
    case '{': {
      const found = matchAt(counted, text, at)
      if (found === null) return [one, at + 1]
      const [{ length }, least, most] = found
      return [{ is: 'repetition', times: Math.max(Number(least), Number(most ?? ''), 1) }, at + length]
    }
    case '(': {
      const found = matchAt(flags, text, at)
      return found === null
        ? [{ is: 'open' }, endOf(group, text, at)]
        : [{ is: 'operator' }, at + found[0].length]
    }
    case ')':
      return [{ is: 'close' }, at + 1]
    case '*':
    case '+':
    case '?':
      return [{ is: 'operator' }, at + 1]
    default:
      return [one, at + 1]
  }
}

const escaped = /\\(?:[pPx]\{[^}]{0,64}\}|[\s\S])/y
const counted = /\{(\d+)(?:,(\d*))?\}/y
const flags = /\(\?[a-zA-Z-]+\)/y
/** A parenthesis with what belongs to it. */
const group = /\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?/y

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Returns where ends what matches there; a character on where nothing does. */
function endOf(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 1)
}

/** Returns what stands between `\Q`, behind which it begins there, and `\E`, or the end of the text. */
function quotedAt(text: string, at: number): readonly [Part, number] {
  const end = text.indexOf('\\E', at)
  return end < 0
    ? [{ is: 'literal', length: text.length - at }, text.length]
    : [{ is: 'literal', length: end - at }, end + 2]
}

/** Returns where a class ends that begins there; the end of the text if it does not. */
function endOfClass(text: string, begin: number): number {
  let at = begin + (text[begin + 1] === '^' ? 2 : 1)
  // Right at the beginning, the bracket means itself.
  if (text[at] === ']') at += 1
  while (at < text.length && text[at] !== ']') {
    at = text[at] === '\\' ? at + 2 : endOf(namedClass, text, at)
  }
  return Math.min(text.length, at + 1)
}

const namedClass = /\[:\^?\w*:\]/y
