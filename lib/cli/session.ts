import { type Config, loadConfig, refuseWrongSites } from '../config.ts'
import { openParts, type Parts, worldOf } from '../daemon.ts'
import { isListening } from '../is-listening.ts'
import type { Log } from '../log.ts'
import type { World } from '../reconcile/world.ts'
import type { CommonFlags } from './options/flags.ts'
import { controlSocketOf } from './options/state-dir.ts'
import { stopSignal } from './stop-signal.ts'

/** What a one-shot command works with. It is released at the end of its block. */
export type Session = AsyncDisposable & {
  readonly config: Config
  readonly parts: Parts
  /** One for each environment that was named, or one for the only environment. */
  readonly worlds: readonly World[]
  /** Whether a daemon with this state directory takes commands. */
  hasDaemon(): Promise<boolean>
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
}

/**
 * Opens a session with the configuration that the flags and the environment variables select. Fails with
 * `config-invalid`, also if only the file of a site cannot be used: what is asked for concerns all sites.
 * @param how `connects`: whether it goes to the engines of the sites; otherwise its worlds have none
 */
export function openSession(
  flags: CommonFlags,
  { connects = true }: { readonly connects?: boolean } = {},
): Session {
  const config = loadConfig(flags, process.env, undefined, { connects })
  refuseWrongSites(config)
  const parts = openParts(connects ? config : { ...config, sites: [] })
  const { signal, release } = stopSignal()
  const names = config.environments.length === 0 ? [undefined] : config.environments
  return {
    config,
    parts,
    worlds: names.map(name => worldOf(parts, name, silent)),
    hasDaemon: () => isListening(controlSocketOf(flags)),
    signal,
    async [Symbol.asyncDispose]() {
      release()
      await parts.close()
    },
  }
}

const nothing = () => undefined

/** A command prints everything itself, and the journal has the rest. */
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silent }
