import { counted, formatProblem, type Position, type Problem } from '../../errors.ts'

/**
 * Returns each problem once, sorted by file, line and column; those without a place come first. Limits them for each
 * file and in all. The number of those left out comes last.
 */
export function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const distinct = new Map(problems.map(problem => [formatProblem(problem), problem]))
  const sorted = [...distinct.values()].sort(
    ({ position: a, notListed: restOfA }, { position: b, notListed: restOfB }) =>
      Number(isOfAll(a, restOfA)) - Number(isOfAll(b, restOfB)) ||
      compare(a?.file ?? '', b?.file ?? '') ||
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

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
