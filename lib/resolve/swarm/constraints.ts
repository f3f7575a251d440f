import type { LabelExpression } from '../../state/fleet/expression.ts'

/** A Swarm compares nothing with other characters. */
const labels = /^[a-z0-9._-]+$/i
const values = /^[a-z0-9:_\s.*()?+[\]\\^$|/-]+$/i

/** A label of a node that has to have a value, or must not have it. */
type Comparison = { readonly label: string; readonly operator: '==' | '!='; readonly value: string }

/**
 * Returns the constraints by which a Swarm chooses nodes as a label expression says; undefined if it cannot. All of them
 * have to be met, and each compares one label of a node with one value. Pure.
 */
export function constraintsOf(expression: LabelExpression): readonly string[] | undefined {
  const all = comparisonsIn(expression)
  return all?.every(isComparable)
    ? all.map(({ label, operator, value }) => `node.labels.${label}${operator}${value}`)
    : undefined
}

/** Returns why a Swarm cannot choose nodes as a label expression says, in words that follow a name; undefined: it can. Pure. */
export function lackOfNodes(expression: LabelExpression): string | undefined {
  const all = comparisonsIn(expression)
  if (all === undefined)
    return 'chooses nodes by more than labels with one value each: a Swarm understands "label = value", "not" before it, and "and" between them'
  return all.every(isComparable)
    ? undefined
    : 'chooses nodes by a label or a value that a Swarm cannot compare: labels have letters, digits, ".", "_" and "-", and values no characters such as "=", "," and "ü"'
}

function isComparable({ label, value }: Comparison): boolean {
  return labels.test(label) && values.test(value)
}

/** Returns the comparisons that all have to hold; undefined if the expression says more than that. */
function comparisonsIn(expression: LabelExpression): readonly Comparison[] | undefined {
  switch (expression.kind) {
    case 'equal':
      return [{ label: expression.label, operator: '==', value: expression.value }]
    case 'not': {
      const { of } = expression
      return of.kind === 'equal' ? [{ label: of.label, operator: '!=', value: of.value }] : undefined
    }
    case 'and': {
      const parts = expression.of.map(comparisonsIn)
      return parts.every(part => part !== undefined) ? parts.flat() : undefined
    }
    case 'or':
    case 'present':
    case 'match':
    case 'empty':
      return undefined
  }
}
