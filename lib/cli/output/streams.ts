import { catalogue, type ErrorCode } from '../../errors/catalogue.ts'
import { exitCode } from '../exit.ts'

/**
 * Handles all errors of standard output and standard error as long as the process lives. Neither a reader that stops
 * reading nor a full disk interrupts the work of a command.
 * - If the reader of standard output is gone, as in `tallyman plan | head`, it has read enough: that is no error.
 * - If something else keeps results from being printed, that is reported, and the command ends with 1 whatever it did.
 * - Errors of standard error are ignored: there is nobody to report them to.
 */
export function takeStreamErrors({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  let isTold = false
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.exitCode = exitCode.failed
    if (isTold) return
    isTold = true
    const code: ErrorCode = 'output-lost'
    stderr.write(`Error: standard output: ${error.message} (${code})\n  hint: ${catalogue[code].hint}\n`)
  })
}

/** Calls back once nobody reads standard output any more. */
export function onceUnread(stop: () => void): void {
  process.stdout.once('error', stop)
}
