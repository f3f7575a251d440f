import { createSiteReader } from '../../config/site/site-files.ts'
import { loadConfig } from '../../config.ts'
import { runDaemon } from '../../daemon/run.ts'
import { createLog } from '../../log.ts'
import { exitCode } from '../exit.ts'
import { heedHangUp } from '../hang-up.ts'
import type { CommonFlags } from '../options/flags.ts'
import type { Output } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'

/**
 * Runs the daemon until Ctrl-C or SIGTERM. Unless it runs in a terminal, SIGHUP has it read the sites again at
 * once, where no change of a file is seen, or as soon as it has started.
 * Returns the exit code.
 */
export async function daemon(_output: Output, flags: CommonFlags): Promise<number> {
  const hangUp = heedHangUp(process.stderr)
  const { signal, release } = stopSignal()
  try {
    const read = createSiteReader()
    const reread = () => loadConfig(flags, process.env, undefined, { read })
    const config = reread()
    const log = createLog({ ...config.log, stream: process.stderr })
    await runDaemon(config, log, signal, { reread, onAsked: hangUp.onAsked })
  } finally {
    hangUp.release()
    release()
  }
  return exitCode.done
}
