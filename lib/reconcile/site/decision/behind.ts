import { type After, type Change, keyOf, placeName, splitKey } from '../../../plan/change/change.ts'

/**
 * Returns everything that comes after changes which wait for a person, and therefore cannot go yet, although nobody has
 * to be asked about it: by key, which of them, or of what comes after them, has to succeed first.
 */
export function behindOf(waiting: readonly Change[], due: readonly Change[]): ReadonlyMap<string, After> {
  const asked = new Set(waiting.map(keyOf))
  const behind = new Map<string, After>()
  for (let size = -1; size < behind.size; ) {
    size = behind.size
    for (const { after, ...change } of due) {
      const key = keyOf(change)
      if (asked.has(key) || behind.has(key)) continue
      const first = after.find(one => one.must === 'succeed' && (asked.has(one.key) || behind.has(one.key)))
      if (first !== undefined) behind.set(key, first)
    }
  }
  return behind
}

/** Returns what a change waits for that comes after another one of these: `waits for the removal of old` (G13). */
export function behindText({ key, gives }: After, changes: readonly Change[]): string {
  const isRemoval = changes.some(change => keyOf(change) === key && change.action === 'remove')
  const what = `the ${isRemoval ? 'removal' : 'change'} of ${placeName(splitKey(key))}`
  return `waits for ${what}, which ${gives === undefined ? 'it requires' : `has ${gives}`}`
}
