import type { LabelExpression } from '../../state/fleet/expression.ts'
import { builtIn } from '../../state/fleet/labels.ts'

/**
 * Whether no site at all can meet an expression, whatever labels it gets: `{}`, because every site has two labels, and
 * `not system/name`. Whoever writes that means no site (G4). An expression that only none of the present sites meets
 * may be a mistake.
 */
export function isNeverMet(expression: LabelExpression): boolean {
  return truthOf(expression) === false
}

/** What is so for every site; undefined: that depends on the site. */
function truthOf(expression: LabelExpression): boolean | undefined {
  switch (expression.kind) {
    case 'present':
      return onEverySite.includes(expression.label) ? true : undefined
    case 'equal':
    case 'match':
      return undefined
    case 'empty':
      return false
    case 'not': {
      const truth = truthOf(expression.of)
      return truth === undefined ? undefined : !truth
    }
    case 'and':
      return common(expression.of.map(truthOf), false)
    case 'or':
      return common(expression.of.map(truthOf), true)
  }
}

const onEverySite: readonly string[] = Object.values(builtIn)

/** One part that is `decisive` is enough; otherwise all parts have to be known. */
function common(parts: readonly (boolean | undefined)[], decisive: boolean): boolean | undefined {
  if (parts.includes(decisive)) return decisive
  return parts.includes(undefined) ? undefined : !decisive
}
