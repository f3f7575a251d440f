import type { SystemCallFilter } from '../../../state/application/container/container.ts'
import {
  isSystemCall,
  unlimited,
  usualCalls,
} from '../../../state/application/container/system-calls/names.ts'
import type { SystemCalls } from './isolator.ts'

/** Which of the names that begin with `@` stand for what. */
export const knownSets: Readonly<Record<string, readonly string[] | 'all' | 'empty'>> = {
  '@appc.io/all': 'all',
  '@appc.io/empty': 'empty',
  '@docker/default-whitelist': usualCalls,
  '@rkt/default-whitelist': usualCalls,
  // What Docker permits nobody is permitted to nobody here, so there is nothing to remove.
  '@docker/default-blacklist': [],
  '@rkt/default-blacklist': [],
}

/**
 * Returns what a set of system calls is made into (C40). A set of all, where it is retained, and an empty one, where it
 * is removed, hide whatever stands beside them.
 * @param errno the number of the error that blocked calls end with; absent: they end the program
 */
export function systemCallsOf(
  mode: SystemCallFilter['mode'],
  set: readonly string[],
  errno: number | undefined,
): SystemCalls {
  const hides = mode === 'retain' ? 'all' : 'empty'
  if (set.some(name => standingFor(name) === hides))
    return { filter: mode === 'retain' ? 'unfiltered' : 'usual' }
  const named = set.flatMap(name => {
    const value = standingFor(name) ?? [name]
    return value === 'all' ? unlimited : value === 'empty' ? [] : value
  })
  const calls = [...new Set(named.filter(isSystemCall))].toSorted()
  return {
    filter: { mode, calls, ...(errno === undefined ? {} : { errno }) },
    leftOut: named.filter(name => !name.startsWith('@') && !isSystemCall(name)),
    unknown: named.filter(name => name.startsWith('@')),
  }
}

function standingFor(name: string): readonly string[] | 'all' | 'empty' | undefined {
  return Object.hasOwn(knownSets, name) ? knownSets[name] : undefined
}
