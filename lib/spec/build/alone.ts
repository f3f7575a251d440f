import type { Problem } from '../../errors.ts'
import type { Specification } from '../specification/specification.ts'
import type { Built } from './build.ts'
import { buildSpecification } from './by-kind.ts'
import type { BuildContext } from './context.ts'
import { noSize, together } from './size.ts'

/**
 * Returns problems and warnings of specifications, each in the versions that it names itself. Their expansion is
 * bounded together (G24).
 */
export function problemsOfAll(
  specifications: readonly Specification[],
  context: BuildContext,
): readonly Problem[] {
  let taken = noSize
  return specifications.flatMap(specification => {
    const { problems, size } = findingsAlone(specification, { ...context, taken })
    taken = together(taken, size)
    return problems
  })
}

/** Returns problems and warnings of one specification, in the versions that it names itself. */
export function findingsAlone(
  specification: Specification,
  context: BuildContext,
): Pick<Built, 'problems' | 'warnings' | 'size'> {
  if (specification.state === 'valid') return buildSpecification(specification, undefined, context)
  const { problems, rest } = specification
  const built = rest && buildSpecification(rest, undefined, context)
  return {
    problems: [...problems, ...(built?.problems ?? [])],
    warnings: built?.warnings ?? [],
    size: built?.size ?? noSize,
  }
}
