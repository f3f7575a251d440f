import { counted, formatProblem, type Position, type Problem } from '../../errors.ts'
import { compareText } from '../../text/order.ts'

/**
 * Returns each problem once, sorted by file, line and column; those without a place come first. Limits them for each
 * file and in all. The number of those left out comes last.
 */
export function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const distinct = new Map(problems.map(problem => [formatProblem(problem), problem]))
  const sorted = [...distinct.values()].sort(
    ({ position: a, notListed: restOfA }, { position: b, notListed: restOfB }) =>
      Number(isOfAll(a, restOfA)) - Number(isOfAll(b, restOfB)) ||
      compareText(a?.file ?? '', b?.file ?? '') ||
      Number(restOfA !== undefined) - Number(restOfB !== undefined) ||
      (a?.line ?? 0) - (b?.line ?? 0) ||
      (a?.column ?? 0) - (b?.column ?? 0),
  )
  return counted(sorted)
}

/** Whether it stands for problems of all files. */
function isOfAll(position: Position | undefined, notListed: number | undefined): boolean {
  return position === undefined && notListed !== undefined
}
