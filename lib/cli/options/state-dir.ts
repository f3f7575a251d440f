import { dirname, join } from 'node:path'
import { readNoFiles } from '../../config/site/site-files.ts'
import { type Config, loadConfig } from '../../config.ts'
import { hintOfProblem, InvalidInput, type Problem } from '../../errors.ts'
import type { CommonFlags } from './flags.ts'

/** Loads the configuration for commands that need neither a repository nor an engine, without the files of sites. */
export function localConfig(flags: CommonFlags): Omit<Config, 'sites' | 'wrongSites'> {
  return loadConfig(flags, process.env, '.', { read: readNoFiles, connects: false })
}

/** Loads the configuration for commands that need no repository. */
export function configOfSites(flags: CommonFlags): Config {
  return loadConfig(flags, process.env, '.', { connects: false })
}

/**
 * Returns the state directory that the flags and the configuration select. While the configuration is wrong, it is the
 * one of the socket that `--server` names, and without that the error says how to reach a daemon that goes on all the
 * same.
 */
export function stateDirOf(flags: CommonFlags): string {
  try {
    return localConfig(flags).stateDir
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    if (flags.server !== undefined) return dirname(flags.server)
    throw stillReachable(error)
  }
}

/** Returns the socket of the daemon: that of `--server`, or else the one in the state directory. */
export function controlSocketOf(flags: CommonFlags): string {
  return flags.server ?? join(stateDirOf(flags), 'control.sock')
}

function stillReachable(invalid: InvalidInput): InvalidInput {
  const [first, ...others] = invalid.problems
  if (first === undefined) return invalid
  const asked = (problem: Problem) => ({ ...problem, hint: `${hintOfProblem(problem)} ${socketHint}` })
  return new InvalidInput([asked(first), ...others.map(asked)])
}

const socketHint =
  'A daemon that runs goes on with what was right before: to ask it meanwhile, add "--server" with the control.sock of its state directory.'
