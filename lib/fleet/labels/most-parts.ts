import { limits } from '../../limits.ts'
import { patternParts } from '../../state/pattern-parts.ts'

/**
 * Returns how many parts the regular expressions of a label expression have at most, before any of them is compiled
 * (G24). Each begins after a `~`, and whatever follows it only adds to its parts.
 */
export function mostPatternParts(text: string): number {
  const begins = [...text.matchAll(/~\s*["']?/g)]
  if (begins.length > limits.expressionPatterns) return limits.expressionPatterns * limits.patternParts
  return begins.reduce(
    (sum, { 0: { length }, index }) =>
      sum + Math.min(limits.patternParts, patternParts(text.slice(index + length))),
    0,
  )
}
