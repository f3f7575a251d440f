import { posix } from 'node:path'
import { asDirectory, type CalledEnvironment } from '../state/identity.ts'

/** The ways in which a configuration may name one environment, the most exact one first. */
export type Spellings = readonly string[]

/** Returns the ways in which a configuration may name an environment: its directory, and its names. */
export function spellingsOf({ directory, environment, name }: CalledEnvironment): Spellings {
  return [...new Set([directory, environment, name])]
}

/** Returns the same of an environment of which only is known how the configuration names it. A directory ends in its name. */
export function spellingsAs(written: string): Spellings {
  const directory = asDirectory(written)
  return [...new Set([directory, posix.basename(directory)])]
}

/**
 * Whether something written may mean an environment. One directory is not another of the same name; where only one of
 * the two is a directory, the name has to do.
 */
export function isSpelled(spellings: Spellings, written: string): boolean {
  const directory = asDirectory(written)
  if (spellings.includes(directory)) return true
  return !spellings.some(isDirectory) && spellings.includes(posix.basename(directory))
}

function isDirectory(spelling: string): boolean {
  return spelling.includes('/')
}
