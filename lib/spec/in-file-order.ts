import { formatProblem, type Problem } from '../errors.ts'

/** Each problem once, by file, line and column; those without a place come first. */
export function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const distinct = new Map(problems.map(problem => [formatProblem(problem), problem]))
  return [...distinct.values()].sort(
    ({ position: a }, { position: b }) =>
      compare(a?.file ?? '', b?.file ?? '') ||
      (a?.line ?? 0) - (b?.line ?? 0) ||
      (a?.column ?? 0) - (b?.column ?? 0),
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
