/** Where a container has the shell of its sandbox, if it has programs that run around its main one (C13). */
export const lentShell = '/.tallyman/busybox'

/** Where that shell notes when the main program was started. Everybody may write into its directory. */
export const lentState = '/.tallyman/state/started'

/**
 * Where a container has the program with which that shell starts the main one, so that SIGINT and SIGQUIT reach it. It is
 * not there on every kind of processor.
 */
export const lentSignals = '/.tallyman/default-signals'
