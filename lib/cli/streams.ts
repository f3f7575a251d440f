import { catalogue, type ErrorCode } from '../errors.ts'
import { exitCode } from './exit.ts'

/**
 * Takes the errors of standard output and standard error, all of them, for as long as the process lives. Nobody who
 * stops reading, and no disk that gets full, ends what a command does.
 * - A reader of standard output that has gone, as in `tallyman plan | head`, had enough: that is no error.
 * - What else keeps results from being printed is told, and the command ends with 1 whatever it did.
 * - Standard error is for what happens on the way: there is nobody to tell that it cannot be written.
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
