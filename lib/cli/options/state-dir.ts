import { join } from 'node:path'
import { readNoFiles } from '../../config/site/site-files.ts'
import { type Config, loadConfig } from '../../config.ts'
import { catalogue } from '../../errors/catalogue.ts'
import { InvalidInput } from '../../errors.ts'
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

/**
 * Returns the socket of the daemon: that of `--server`, or else the one in the state directory. While the configuration
 * is wrong, says how to reach a daemon that goes on all the same.
 */
export function controlSocketOf(flags: CommonFlags): string {
  if (flags.server !== undefined) return flags.server
  try {
    return join(stateDirOf(flags), 'control.sock')
  } catch (error) {
    throw error instanceof InvalidInput ? stillReachable(error) : error
  }
}

function stillReachable(invalid: InvalidInput): InvalidInput {
  const [first, ...others] = invalid.problems
  if (first === undefined) return invalid
  const hint = `${first.hint ?? catalogue[first.code].hint} ${socketHint}`
  return new InvalidInput([{ ...first, hint }, ...others])
}

const socketHint =
  'A daemon that runs goes on with what was right before: to ask it meanwhile, add "--server" with the control.sock of its state directory.'
