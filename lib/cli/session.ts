import { type Config, loadConfig } from '../config.ts'
import { openParts, type Parts, worldOf } from '../daemon.ts'
import { createLog, type Log } from '../log.ts'
import type { World } from '../reconcile/world.ts'
import type { CommonFlags } from './flags.ts'

/** What a one-shot command works with; given back at the end of its block. */
export type Session = AsyncDisposable & {
  readonly config: Config
  readonly parts: Parts
  /** One for each environment that was named, or one for the only one there is. */
  readonly worlds: readonly World[]
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
}

export function openSession(flags: CommonFlags): Session {
  const config = loadConfig(flags, process.env)
  const log = createLog({ level: 'error', format: config.log.format, stream: process.stderr })
  const parts = openParts(config)
  const { signal, release } = stopSignal()
  const names = config.environments.length === 0 ? [undefined] : config.environments
  return {
    config,
    parts,
    worlds: names.map(name => worldOf(config, parts, name, log)),
    signal,
    async [Symbol.asyncDispose]() {
      release()
      await parts.close()
    },
  }
}

export function daemonLog(config: Config): Log {
  return createLog({ ...config.log, stream: process.stderr })
}

/** Aborts at the first Ctrl-C or SIGTERM; a second one ends the process at once. */
export function stopSignal(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
    },
  }
}
