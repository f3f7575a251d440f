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
  for (const [part, literal, least, most] of text.matchAll(partOfPattern)) {
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

/**
 * In this order: a text between `\Q` and `\E`, another escape, a class, a counted repetition, flags, a parenthesis with
 * what belongs to it, and any other character.
 */
const partOfPattern =
  /\\Q([\s\S]*?)(?:\\E|$)|\\(?:[pPx]\{[^}]*\}|[\s\S])|\[\^?\]?(?:\[:[^\]]*:\]|\\[\s\S]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|\(\?[a-zA-Z-]+\)|\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?|[\s\S]/g
