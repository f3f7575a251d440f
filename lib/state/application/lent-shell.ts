/** Where a container has the shell of its sandbox, if it has programs that run around its main one (C13). */
export const lentShell = '/.tallyman/busybox'

/** Where that shell notes when the main program was started. Everybody may write into its directory. */
export const lentState = '/.tallyman/state/started'
