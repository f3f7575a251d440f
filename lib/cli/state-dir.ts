import { join } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import type { CommonFlags } from './flags.ts'

/** The configuration, for commands that need neither a repository nor an engine. */
export function localConfig(flags: CommonFlags): Config {
  return loadConfig(flags, process.env, '.')
}

export function stateDirOf(flags: CommonFlags): string {
  return localConfig(flags).stateDir
}

/** Where the daemon answers: what `--server` says, else the socket in the state directory. */
export function controlSocketOf(flags: CommonFlags): string {
  return flags.server ?? join(stateDirOf(flags), 'control.sock')
}
