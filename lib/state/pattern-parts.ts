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
  for (const [part, literal, least, most] of partsIn(text)) {
    if (literal !== undefined) {
      sum += literal.length
      if (literal !== '') last = 1
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? ''), 1)
      sum += last * (times - 1)
      last *= times
    } else if (/^(?:[*+?]|\(\?[a-zA-Z-]+\))$/.test(part)) {
      // Flags stand between what is repeated and its repetition without being either.
      sum += 1
      last += 1
    } else if (part.startsWith('(')) {
      outer.push(sum)
      sum = 0
    } else if (part === ')') {
      last = sum + 2
      sum = last + (outer.pop() ?? 0)
    } else {
      sum += 1
      last = 1
    }
  }
  return outer.reduce((all, before) => all + before, sum)
}

/** Yields the parts, each as `partOfPattern` matches it. */
function* partsIn(text: string): Generator<readonly [string, ...string[]] | RegExpExecArray> {
  for (let at = 0; at < text.length; ) {
    partOfPattern.lastIndex = at
    const found =
      text[at] === '[' ? ([text.slice(at, endOfClass(text, at))] as const) : partOfPattern.exec(text)
    if (found === null) return
    at += found[0].length
    yield found
  }
}

/**
 * In this order: a text between `\Q` and `\E`, another escape, a counted repetition, flags, a parenthesis with what
 * belongs to it, and any other character but the beginning of a class.
 */
const partOfPattern =
  /\\Q([\s\S]*?)(?:\\E|$)|\\(?:[pPx]\{[^}]{0,64}\}|[\s\S])|\{(\d+)(?:,(\d*))?\}|\(\?[a-zA-Z-]+\)|\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?|[\s\S]/y

/** Returns where a class ends that begins there; the end of the text if it does not. */
function endOfClass(text: string, begin: number): number {
  let at = begin + (text[begin + 1] === '^' ? 2 : 1)
  // Right at the beginning, the bracket means itself.
  if (text[at] === ']') at += 1
  while (at < text.length && text[at] !== ']') {
    namedClass.lastIndex = at
    at += text[at] === '\\' ? 2 : (namedClass.exec(text)?.[0].length ?? 1)
  }
  return Math.min(text.length, at + 1)
}

const namedClass = /\[:\^?\w*:\]/y
