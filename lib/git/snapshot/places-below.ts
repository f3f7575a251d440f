import type { Failure } from '../../errors.ts'
import type { EntryPlace } from '../../state/repository/snapshot.ts'
import { gitLimits, tooLarge } from '../limits.ts'
import type { TreeEntry } from '../objects/tree.ts'

export type Tree = ReadonlyMap<string, TreeEntry>

/**
 * Returns everything below a tree whose name is wanted. A few trees that name each other many times stand for any
 * number of paths, so all paths are counted before one of them is made: each tree is read and counted once, and then
 * only the paths that lead to a wanted name are walked (G24). Fails with `repository-too-large`, or as `read` does.
 * `where` is for messages.
 */
export async function placesBelow(
  root: string,
  isWanted: (name: string) => boolean,
  read: (oid: string) => Promise<Tree>,
  where: string,
): Promise<readonly EntryPlace[]> {
  const measured = new Map<string, Measure>()
  await measure(root, 0)
  const places: EntryPlace[] = []
  await walk(root, '')
  return places

  async function measure(oid: string, depth: number): Promise<Measure> {
    const known = measured.get(oid)
    if (depth + (known?.levels ?? 0) > gitLimits.depth)
      throw tooLarge(where, `is more than ${gitLimits.depth} directories deep`)
    if (known !== undefined) return known
    const sum = { entries: 0, levels: 0, hasWanted: false }
    for (const { name, kind, oid: child } of (await read(oid)).values()) {
      const below = kind === 'directory' ? await measure(child, depth + 1) : undefined
      sum.entries += 1 + (below?.entries ?? 0)
      if (sum.entries > gitLimits.entries) throw tooManyEntries(where)
      sum.levels = Math.max(sum.levels, below === undefined ? 0 : below.levels + 1)
      sum.hasWanted ||= isWanted(name) || below?.hasWanted === true
    }
    measured.set(oid, sum)
    return sum
  }

  async function walk(oid: string, directory: string): Promise<void> {
    if (measured.get(oid)?.hasWanted !== true) return
    for (const { name, kind, oid: child } of (await read(oid)).values()) {
      const path = directory === '' ? name : `${directory}/${name}`
      if (isWanted(name)) places.push({ path, kind })
      if (kind === 'directory') await walk(child, path)
    }
  }
}

/** What a tree stands for with all trees below it. */
type Measure = {
  /** Files and directories, once for each path. */
  readonly entries: number
  /** Levels of directories below it. */
  readonly levels: number
  readonly hasWanted: boolean
}

export function tooManyEntries(where: string): Failure {
  return tooLarge(where, `has more than ${gitLimits.entries} files and directories`)
}
