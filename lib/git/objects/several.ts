import type { Objects } from './object.ts'

/** The objects of several places as those of one; where two have the same, the first gives it. */
export function several(all: readonly Objects[]): Objects {
  return {
    find(oid) {
      for (const objects of all) {
        const object = objects.find(oid)
        if (object !== undefined) return object
      }
      return undefined
    },
    startingWith: prefix => [...new Set(all.flatMap(objects => objects.startingWith(prefix)))],
  }
}
