import { createSiteReader } from '../../config/site/site-files.ts'
import { loadConfig } from '../../config.ts'
import { runDaemon } from '../../daemon/run.ts'
import { createLog } from '../../log.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import type { Output } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'

/**
 * Runs the daemon until Ctrl-C or SIGTERM. Unless it runs in a terminal, SIGHUP has it read the sites again at
 * once, where no change of a file is seen.
 * Returns the exit code.
 */
export async function daemon(_output: Output, flags: CommonFlags): Promise<number> {
  const read = createSiteReader()
  const reread = () => loadConfig(flags, process.env, undefined, { read })
  const config = reread()
  const log = createLog({ ...config.log, stream: process.stderr })
  const { signal, release } = stopSignal()
  const asked = new AbortController()
  const onAsked = (again: () => void) => {
    // There it means that the terminal was closed, which ends the process.
    if (process.stderr.isTTY) return
    process.on('SIGHUP', again)
    asked.signal.addEventListener('abort', () => process.off('SIGHUP', again))
  }
  try {
    await runDaemon(config, log, signal, { reread, onAsked })
  } finally {
    asked.abort()
    release()
  }
  return exitCode.done
}
