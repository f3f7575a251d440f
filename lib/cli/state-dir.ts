import { join } from 'node:path'
import { loadConfig } from '../config.ts'
import type { CommonFlags } from './flags.ts'

/** The state directory, for commands that need neither a repository nor an engine. */
export function stateDirOf(flags: CommonFlags): string {
  return loadConfig({ repository: '.', ...flags }, process.env).stateDir
}

/** Where the daemon answers: what `--server` says, else the socket in the state directory. */
export function controlSocketOf(flags: CommonFlags): string {
  return flags.server ?? join(stateDirOf(flags), 'control.sock')
}
