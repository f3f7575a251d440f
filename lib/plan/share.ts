import { type Problem, upTo } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Blocked } from '../state/application/desired.ts'

/**
 * Gives each blocked application the same share of the problems that are listed, at least two: one of its own, and the
 * number of the others (G24).
 */
export function inShares(blocked: readonly Blocked[]): readonly Blocked[] {
  const share = Math.max(2, Math.floor(limits.problems / Math.max(1, blocked.length)))
  return blocked.map(({ application, problems: [first, ...others] }) => ({
    application,
    problems: [first, ...upTo(others, share - 1)] as const,
  }))
}

/** Limits the warnings of a plan; the number of those left out comes last (G24). */
export function fewWarnings(warnings: readonly Problem[]): readonly Problem[] {
  return upTo(warnings, limits.problems)
}
