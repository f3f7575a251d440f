import type { Revision } from '../../state/repository/revision.ts'
import type { Entry, EntryKind, Snapshot } from '../../state/repository/snapshot.ts'
import { byText } from '../../text/order.ts'
import { isoText } from '../../text/time.ts'
import { gitLimits, tooLarge } from '../limits.ts'
import { corrupt, type GitObject, type ObjectType } from '../objects/object.ts'
import { type Commit, parseCommit } from '../objects/parse.ts'
import { restNowAndThen } from '../objects/rest.ts'
import { parseTree, type TreeEntry } from '../objects/tree.ts'
import { decodeText, fileTooLarge, foreignText } from '../text.ts'
import { splitPath } from './path.ts'
import { placesBelow, type Tree, tooManyEntries } from './places-below.ts'
import { unlistable, unreadable } from './unreadable.ts'

/**
 * Reads an object that has to exist. Fails with `repository-corrupt`, or with what went wrong while the repository was
 * healed.
 */
export type ReadObject = (oid: string) => Promise<GitObject>

/**
 * Returns the state of the repository at a commit. Its objects are read when they are asked for. `ref` is the ref that
 * led to the commit.
 */
export async function snapshotOf(commit: string, ref: string, read: ReadObject): Promise<Snapshot> {
  const parsed = parseCommit(await readSmall(read, commit, 'commit'), commit)
  const trees = new Map<string, Promise<Tree>>()
  const rest = restNowAndThen()
  let entries = 0

  function readTree(oid: string): Promise<Tree> {
    const known = trees.get(oid)
    if (known !== undefined) return known
    const reading = parse(oid)
    trees.set(oid, reading)
    reading.catch(() => trees.delete(oid))
    return reading
  }

  async function parse(oid: string): Promise<Tree> {
    const content = await readSmall(read, oid, 'tree')
    await rest(content.byteLength)
    const tree = parseTree(content, oid)
    entries += tree.length
    if (entries > gitLimits.entries) throw tooManyEntries(commit)
    return new Map(tree.map(entry => [entry.name, entry]))
  }

  async function find(path: string): Promise<Found> {
    let found: Found = { kind: 'directory', oid: parsed.tree }
    for (const part of splitPath(path)) {
      if (found.kind === 'symlink' || found.kind === 'submodule') return found
      if (found.kind !== 'directory') return { kind: 'missing' }
      const tree: Tree = await readTree(found.oid)
      found = tree.get(part) ?? { kind: 'missing' }
    }
    return found
  }

  return {
    revision: revisionOf(commit, ref, parsed),
    async list(directory) {
      const found = await find(directory)
      if (found.kind === 'missing') return []
      if (found.kind !== 'directory') throw unlistable(directory, found.kind)
      return [...(await readTree(found.oid)).values()].map(toEntry).sort(byName)
    },
    named: isWanted => placesBelow(parsed.tree, isWanted, readTree, commit),
    kind: async path => (await find(path)).kind,
    async read(path) {
      const found = await find(path)
      if (found.kind !== 'file') throw unreadable(path, found.kind)
      const object = await read(found.oid)
      if (object.type === 'oversized') throw fileTooLarge(path, object.size)
      return decodeText(object.content, path)
    },
  }
}

/** Returns author, subject and time as the commit states them. */
export function revisionOf(commit: string, ref: string, { author, message, committedMs }: Commit): Revision {
  return {
    ref,
    commit,
    author: foreignText(author),
    subject: foreignText(message.trimStart().split('\n', 1)[0] ?? ''),
    time: isoText(committedMs),
  }
}

/** Compares two entries by name. Every kind of source sorts its listings with it. */
export const byName = byText<Entry>(({ name }) => name)

type Found = { readonly kind: EntryKind; readonly oid: string } | { readonly kind: 'missing' }

/** Reads a small object of a type, which has to exist. Fails with `repository-too-large` or `repository-corrupt`. */
export async function readSmall(read: ReadObject, oid: string, type: ObjectType): Promise<Buffer> {
  const object = await read(oid)
  if (object.type === 'oversized') throw tooLarge(`${type} ${oid}`, `has ${object.size} bytes`)
  if (object.type !== type) throw corrupt(oid, `is a ${object.type} and not a ${type}`)
  return object.content
}

function toEntry({ name, kind }: TreeEntry): Entry {
  return { name, kind }
}
