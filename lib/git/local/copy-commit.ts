import { packPieces } from '../draft/pack-of.ts'
import { corrupt, type GitObject, isCorrupt } from '../objects/object.ts'
import { parseCommit } from '../objects/parse.ts'
import { restNowAndThen } from '../objects/rest.ts'
import { parseTree } from '../objects/tree.ts'
import type { ReadObject } from '../snapshot/commit-snapshot.ts'
import type { FetchPlace, Store } from '../store.ts'

/**
 * Copies a commit into a store with all its trees and files, as a fetch would: what the newest pack there has is left
 * out, and so is a file that is too large to be read. Does nothing if it is there. Fails with what keeps the commit from
 * being read, or with `git-store-unwritable`. `where` is for messages.
 */
export async function copyCommit(
  commit: string,
  read: ReadObject,
  store: Store,
  where: string,
): Promise<void> {
  if (store.has(commit)) return
  const { place, there, isDamaged } = await baseIn(store)
  // The head of a pack says how many objects follow, and only those that were read are known not to be too large.
  const names: string[] = []
  for await (const oid of objectsOf(commit, read, there, 'read')) names.push(oid)
  await store.add(commit, place, packPieces(names.length, contentsOf(names, read)), where)
  if (isDamaged) await store.dropDamaged()
}

/** What the next pack is based on. */
type Base = {
  readonly place: FetchPlace
  readonly there: ReadonlySet<string>
  readonly isDamaged: boolean
}

/** Returns the place of the next pack, and what is there already. Nothing is based on what is damaged. */
async function baseIn(store: Store): Promise<Base> {
  const there = new Set<string>()
  try {
    const place = store.next()
    const stored = store.open()
    for (const have of place.haves)
      for await (const oid of objectsOf(have, async name => stored.find(name), there, 'named')) there.add(oid)
    return { place, there, isDamaged: false }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return { place: store.afresh(), there: new Set(), isDamaged: true }
  }
}

/**
 * Yields the name of each object of a commit once, apart from those that are there and what is below these.
 * @param files read: those that are too large are left out; named: they are not looked at
 */
async function* objectsOf(
  commit: string,
  read: (oid: string) => Promise<GitObject | undefined>,
  there: ReadonlySet<string>,
  files: 'read' | 'named',
): AsyncGenerator<string> {
  const seen = new Set(there)
  const left = [commit]
  const rest = restNowAndThen()
  for (let oid = left.pop(); oid !== undefined; oid = left.pop()) {
    if (seen.has(oid)) continue
    seen.add(oid)
    const object = await read(oid)
    if (object === undefined || object.type === 'oversized') continue
    yield oid
    await rest(object.content.byteLength)
    if (object.type === 'commit') left.push(parseCommit(object.content, oid).tree)
    if (object.type !== 'tree') continue
    for (const { kind, oid: child } of parseTree(object.content, oid)) {
      if (kind === 'submodule') continue
      if (kind === 'directory' || files === 'read') left.push(child)
      else yield child
    }
  }
}

async function* contentsOf(names: readonly string[], read: ReadObject) {
  const rest = restNowAndThen()
  for (const oid of names) {
    const object = await read(oid)
    if (object.type === 'oversized') throw corrupt(`object ${oid}`, 'is larger than it was')
    yield object
    await rest(object.content.byteLength)
  }
}
