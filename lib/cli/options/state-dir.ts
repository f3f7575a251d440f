import { join } from 'node:path'
import { readNoFiles } from '../../config/site/site-files.ts'
import { type Config, loadConfig } from '../../config.ts'
import type { CommonFlags } from './flags.ts'

/** Loads the configuration for commands that need neither a repository nor an engine, without the files of sites. */
export function localConfig(flags: CommonFlags): Omit<Config, 'sites' | 'wrongSites'> {
  return loadConfig(flags, process.env, '.', readNoFiles)
}

/** Loads the configuration for commands that need no repository. */
export function configOfSites(flags: CommonFlags): Config {
  return loadConfig(flags, process.env, '.')
}

/** Returns the state directory that the flags and the configuration select. */
export function stateDirOf(flags: CommonFlags): string {
  return localConfig(flags).stateDir
}

/** Returns the socket of the daemon: that of `--server`, or else the one in the state directory. */
export function controlSocketOf(flags: CommonFlags): string {
  return flags.server ?? join(stateDirOf(flags), 'control.sock')
}
