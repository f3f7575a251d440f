import { Failure } from '../../errors.ts'
import type { LabelExpression } from '../../state/fleet/expression.ts'
import { type SiteLabels, siteLabel } from '../../state/fleet/labels.ts'
import { parsePattern } from '../../state/pattern.ts'

/** Whether the labels of a site meet a condition. */
export type LabelMatcher = (labels: SiteLabels) => boolean

/**
 * Returns the test that a label expression is. Regular expressions are compiled once for all sites. A comparison with a
 * label that a site does not have is false, so its negation is true (A22).
 */
export function labelMatcher(expression: LabelExpression): LabelMatcher {
  switch (expression.kind) {
    case 'present': {
      const { label } = expression
      return labels => Object.hasOwn(labels, label)
    }
    case 'equal': {
      const { label, value } = expression
      return labels => siteLabel(labels, label) === value
    }
    case 'match':
      return matchOf(expression)
    case 'empty':
      return labels => Object.keys(labels).length === 0
    case 'not': {
      const negated = labelMatcher(expression.of)
      return labels => !negated(labels)
    }
    case 'and': {
      const all = expression.of.map(labelMatcher)
      return labels => all.every(matches => matches(labels))
    }
    case 'or': {
      const some = expression.of.map(labelMatcher)
      return labels => some.some(matches => matches(labels))
    }
  }
}

function matchOf({ label, pattern: text }: Extract<LabelExpression, { kind: 'match' }>): LabelMatcher {
  const pattern = parsePattern(text)
  if (!pattern.ok) throw new Failure('internal', `the regular expression ${text} ${pattern.reason}`)
  return labels => {
    const value = siteLabel(labels, label)
    return value !== undefined && pattern.value.matches(value)
  }
}
