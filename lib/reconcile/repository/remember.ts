import type { DesiredState } from '../../state/application/desired.ts'
import type { Memory } from '../world.ts'

/**
 * The most earlier states in memory. Services that cannot get what is wanted seldom come from more than one or two
 * commits.
 */
const most = 8

/** Keeps the state that is in force now for the time after another commit takes its place. */
export function rememberBefore(memory: Memory, next: string): void {
  const { desired } = memory
  if (desired !== undefined && desired.commit !== next) remember(memory, desired.commit, desired.pinned)
}

/** Keeps the state of a commit, and forgets the one that nobody asked for the longest. */
export function remember(memory: Memory, commit: string, state: DesiredState): void {
  memory.before ??= new Map()
  keep(memory.before, commit, state)
  memory.unreadable?.delete(commit)
}

/** Notes why a commit cannot be read. Returns whether that was not known. */
export function isNews(memory: Memory, commit: string, reason: string): boolean {
  memory.unreadable ??= new Map()
  const known = memory.unreadable.get(commit)
  keep(memory.unreadable, commit, reason)
  return known !== reason
}

/** Puts an entry last, and drops the first ones of too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  for (const oldest of [...map.keys()].slice(0, Math.max(0, map.size - most + 1))) map.delete(oldest)
  map.set(key, value)
}

/** Returns the state of a commit if it is kept. */
export function remembered(memory: Memory, commit: string): DesiredState | undefined {
  const state = memory.before?.get(commit)
  if (state !== undefined) remember(memory, commit, state)
  return state
}
