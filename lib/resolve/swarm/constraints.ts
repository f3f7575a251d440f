import type { LabelExpression } from '../../state/fleet/expression.ts'

/** A Swarm compares nothing with other characters. */
const label = /^[a-z_][a-z0-9._-]+$/i
const value = /^[a-z0-9:_\s.*()?+[\]\\^$|/-]+$/i

/**
 * Returns the constraints by which a Swarm chooses nodes as a label expression says; undefined if it cannot. All of them
 * have to be met, and each compares one label of a node with one value. Pure.
 */
export function constraintsOf(expression: LabelExpression): readonly string[] | undefined {
  switch (expression.kind) {
    case 'equal':
      return compared(expression, '==')
    case 'not':
      return expression.of.kind === 'equal' ? compared(expression.of, '!=') : undefined
    case 'and': {
      const parts = expression.of.map(constraintsOf)
      return parts.every(part => part !== undefined) ? parts.flat() : undefined
    }
    case 'or':
    case 'present':
    case 'match':
    case 'empty':
      return undefined
  }
}

function compared(
  { label: name, value: text }: Extract<LabelExpression, { kind: 'equal' }>,
  operator: '==' | '!=',
): readonly string[] | undefined {
  return label.test(name) && value.test(text) ? [`node.labels.${name}${operator}${text}`] : undefined
}
