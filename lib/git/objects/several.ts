import type { Objects } from './object.ts'

/** Joins the objects of several places. If two places have the same object, the first returns it. */
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
