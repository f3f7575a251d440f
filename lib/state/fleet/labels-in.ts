import type { LabelExpression } from './expression.ts'

/** Returns the labels that an expression names, and of each whether it is only named after `not`. Pure. */
export function labelsIn(expression: LabelExpression): ReadonlyMap<string, boolean> {
  const labels = new Map<string, boolean>()
  const note = (of: LabelExpression, isExcluded: boolean): void => {
    switch (of.kind) {
      case 'present':
      case 'equal':
      case 'match':
        labels.set(of.label, isExcluded && (labels.get(of.label) ?? true))
        return
      case 'empty':
        return
      case 'not':
        note(of.of, !isExcluded)
        return
      case 'and':
      case 'or':
        for (const part of of.of) note(part, isExcluded)
    }
  }
  note(expression, false)
  return labels
}
