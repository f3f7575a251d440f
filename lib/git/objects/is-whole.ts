import { isCorrupt, type Objects } from './object.ts'
import { parseCommit } from './parse.ts'
import { parseTree } from './tree.ts'

/** Whether a commit, all its trees and all its files are there and undamaged. Reads all of them. */
export function isWhole(open: () => Objects, commit: string): boolean {
  try {
    const objects = open()
    const seen = new Set<string>()
    const left = [commit]
    for (let oid = left.pop(); oid !== undefined; oid = left.pop()) {
      if (seen.has(oid)) continue
      seen.add(oid)
      const object = objects.find(oid)
      if (object === undefined) return false
      if (object.type === 'commit') left.push(parseCommit(object.content, oid).tree)
      if (object.type !== 'tree') continue
      for (const entry of parseTree(object.content, oid)) if (entry.kind !== 'submodule') left.push(entry.oid)
    }
    return true
  } catch (error) {
    if (isCorrupt(error)) return false
    throw error
  }
}
