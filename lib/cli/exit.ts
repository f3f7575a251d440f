/** The exit codes of all commands (interface, section 3). */
export const exitCode = {
  done: 0,
  failed: 1,
  changesPending: 2,
  confirmationNeeded: 3,
  wrongUsage: 64,
} as const
