/** The exit codes of all commands (interface, section 3). */
export const exitCode = {
  done: 0,
  failed: 1,
  changesPending: 2,
  confirmationNeeded: 3,
  wrongUsage: 64,
} as const

/** The exit code of one part of what a command does. */
export type PartCode = 0 | 1 | 3

/**
 * Returns the exit code of a command that does several things: that of the gravest end. What failed is not hidden by what
 * waits for a confirmation, in whatever order they come.
 */
export function gravestCode(codes: readonly PartCode[]): PartCode {
  return byGravity.find(code => codes.includes(code)) ?? exitCode.done
}

const byGravity: readonly PartCode[] = [exitCode.failed, exitCode.confirmationNeeded]
