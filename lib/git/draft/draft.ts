import { Failure } from '../../errors.ts'
import type { Snapshot } from '../../state/repository/snapshot.ts'
import { type NewObject, type ObjectType, objectName } from '../objects/object.ts'
import { parseCommit } from '../objects/parse.ts'
import { parseTree } from '../objects/tree.ts'
import { type ReadObject, readSmall, snapshotOf } from '../snapshot/commit-snapshot.ts'
import { splitPath } from '../snapshot/path.ts'
import { editTree } from './edit-tree.ts'

/** A commit that only exists in memory so far. */
export type Draft = {
  readonly commit: string
  readonly parent: string
  /** The commit itself, and the trees and files that its parent does not have. */
  readonly objects: readonly NewObject[]
  /** The repository as it will be at that commit. */
  readonly snapshot: Snapshot
}

/** What a commit says besides its files. */
export type CommitWords = {
  readonly author: Person
  readonly committer: Person
  readonly message: string
  readonly atMs: number
}

export type Person = { readonly name: string; readonly email: string }

/**
 * Returns a commit on top of another one, with changed files: their new bytes by path, or undefined for a file that is
 * removed. Nothing is written. `ref` is what the snapshot says it was found under. Fails with `path-forbidden` for a path
 * that leads out of the repository.
 */
export async function draftOn(
  parent: string,
  changes: ReadonlyMap<string, Uint8Array | undefined>,
  words: CommitWords,
  ref: string,
  read: ReadObject,
): Promise<Draft> {
  for (const path of changes.keys())
    if (splitPath(path).length === 0) throw new Failure('internal', 'a file that changes has no path')
  const base = parseCommit(await readSmall(read, parent, 'commit'), parent)
  const files = [...changes].map(([path, bytes]) => [path, bytes && objectOf('blob', bytes)] as const)
  const named = new Map(files.map(([path, file]) => [path, file?.oid]))
  const { tree = emptyTree.oid, made } = await editTree(read, base.tree, named)
  const commit = objectOf('commit', Buffer.from(commitText(tree, parent, words)))
  const blobs = files.flatMap(([, file]) => file ?? [])
  const trees = tree === emptyTree.oid ? [emptyTree] : made
  const objects = [...new Map([commit, ...trees, ...blobs].map(one => [one.oid, one])).values()]
  const own = new Map(objects.map(one => [one.oid, one]))
  const snapshot = await snapshotOf(commit.oid, ref, async oid => own.get(oid) ?? read(oid))
  return { commit: commit.oid, parent, objects, snapshot }
}

/** Returns the bytes of a file in a commit, its byte order mark included; undefined if there is no such file. */
export async function fileIn(commit: string, path: string, read: ReadObject): Promise<Buffer | undefined> {
  let oid: string | undefined = parseCommit(await readSmall(read, commit, 'commit'), commit).tree
  const parts = path.split('/')
  for (const [index, part] of parts.entries()) {
    const entries: readonly { name: string; kind: string; oid: string }[] = parseTree(
      await readSmall(read, oid, 'tree'),
      oid,
    )
    const kind = index === parts.length - 1 ? 'file' : 'directory'
    oid = entries.find(entry => entry.name === part && entry.kind === kind)?.oid
    if (oid === undefined) return undefined
  }
  return readSmall(read, oid, 'blob')
}

function objectOf(type: ObjectType, bytes: Uint8Array): NewObject {
  const content = Buffer.from(bytes)
  return { type, oid: objectName(type, content), content }
}

const emptyTree = objectOf('tree', Buffer.alloc(0))

function commitText(tree: string, parent: string, { author, committer, message, atMs }: CommitWords): string {
  const time = `${Math.floor(atMs / 1000)} +0000`
  return [
    `tree ${tree}`,
    `parent ${parent}`,
    `author ${personText(author)} ${time}`,
    `committer ${personText(committer)} ${time}`,
    '',
    message.endsWith('\n') ? message : `${message}\n`,
  ].join('\n')
}

/** Returns a person as commits name them. Signs that would end the name or the address are left out, as git does. */
export function personText({ name, email }: Person): string {
  const plain = (text: string) => text.replace(/[<>\u0000-\u001f\u007f]/g, '').trim()
  return `${plain(name) || 'unknown'} <${plain(email)}>`
}
