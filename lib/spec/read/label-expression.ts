import { parseLabelExpression } from '../../fleet/labels/parse.ts'
import type { LabelExpression } from '../../state/fleet/expression.ts'
import type { Spot } from '../spot.ts'

/** Counts the parts of regular expressions that were compiled, with an expression that was then found wrong too. */
export type PatternCost = { parts: number }

/** Reads a label expression. A mistake is noted at its own line and column (A21). */
export function readLabelExpression(
  text: string,
  spot: Spot,
  cost: PatternCost = { parts: 0 },
): LabelExpression | undefined {
  const read = parseLabelExpression(text)
  cost.parts += read.patternParts
  if (read.ok) return read.expression
  spot.faultWithin(read.offset, read.reason)
  return undefined
}
