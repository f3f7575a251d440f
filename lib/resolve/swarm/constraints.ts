import type { LabelExpression } from '../../state/fleet/expression.ts'

/** A Swarm compares nothing with other characters. */
const label = /^[a-z0-9._-]+$/i
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

/** Returns why a Swarm cannot choose nodes as a label expression says, in words that follow a name; undefined: it can. Pure. */
export function lackOfNodes(expression: LabelExpression): string | undefined {
  if (constraintsOf(expression) !== undefined) return undefined
  return hasOneValueEach(expression)
    ? 'chooses nodes by a label or a value that a Swarm cannot compare: labels have letters, digits, ".", "_" and "-", and values no characters such as "=", "," and "ü"'
    : 'chooses nodes by more than labels with one value each: a Swarm understands "label = value", "not" before it, and "and" between them'
}

function hasOneValueEach(expression: LabelExpression): boolean {
  switch (expression.kind) {
    case 'equal':
      return true
    case 'not':
      return expression.of.kind === 'equal'
    case 'and':
      return expression.of.every(hasOneValueEach)
    case 'or':
    case 'present':
    case 'match':
    case 'empty':
      return false
  }
}
