import { parseLabelExpression } from '../../fleet/labels/parse.ts'
import type { LabelExpression } from '../../state/fleet/expression.ts'
import type { Spot } from '../spot.ts'

/** Reads a label expression. A mistake is noted at its own line and column (A21). */
export function readLabelExpression(text: string, spot: Spot): LabelExpression | undefined {
  const read = parseLabelExpression(text)
  if (read.ok) return read.expression
  spot.faultWithin(read.offset, read.reason)
  return undefined
}
