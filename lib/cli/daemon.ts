import { loadConfig } from '../config.ts'
import { runDaemon } from '../daemon.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import type { Output } from './output.ts'
import { daemonLog, stopSignal } from './session.ts'

/** Runs until Ctrl-C or SIGTERM. */
export async function daemon(_output: Output, flags: CommonFlags): Promise<number> {
  const config = loadConfig(flags, process.env)
  const { signal, release } = stopSignal()
  await runDaemon(config, daemonLog(config), signal)
  release()
  return exitCode.done
}
