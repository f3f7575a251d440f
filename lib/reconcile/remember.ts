import type { DesiredState } from '../state/desired.ts'
import type { Memory } from './world.ts'

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
  memory.before.delete(commit)
  for (const oldest of [...memory.before.keys()].slice(0, Math.max(0, memory.before.size - most + 1)))
    memory.before.delete(oldest)
  memory.before.set(commit, state)
}

/** Returns the state of a commit if it is kept. */
export function remembered(memory: Memory, commit: string): DesiredState | undefined {
  const state = memory.before?.get(commit)
  if (state !== undefined) remember(memory, commit, state)
  return state
}
