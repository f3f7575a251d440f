import { type Problem, upTo } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Blocked } from '../state/application/desired.ts'

/**
 * Limits the problems that are listed of blocked applications. Each may list as many as the others, and at least two:
 * one of its own, and the number of those left out (G24).
 */
export function fewProblems(blocked: readonly Blocked[]): readonly Blocked[] {
  const most = Math.max(2, Math.floor(limits.problems / Math.max(1, blocked.length)))
  return blocked.map(({ application, problems: [first, ...others] }) => ({
    application,
    problems: [first, ...upTo(others, most - 1)] as const,
  }))
}

/** Limits the warnings of a plan; the number of those left out comes last (G24). */
export function fewWarnings(warnings: readonly Problem[]): readonly Problem[] {
  return upTo(warnings, limits.problems)
}
