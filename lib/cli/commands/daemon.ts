import { loadConfig } from '../../config.ts'
import { runDaemon } from '../../daemon/run.ts'
import { createLog } from '../../log.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'

/** Runs the daemon until Ctrl-C or SIGTERM. Returns the exit code. */
export async function daemon(_output: Output, flags: CommonFlags): Promise<number> {
  const config = loadConfig(flags, process.env)
  const log = createLog({ ...config.log, stream: process.stderr })
  const { signal, release } = stopSignal()
  try {
    await runDaemon(config, log, signal)
  } finally {
    release()
  }
  return exitCode.done
}
