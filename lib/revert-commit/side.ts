import { posix } from 'node:path'
import { Failure } from '../errors.ts'
import { fileIn } from '../git/draft/draft.ts'
import type { ReadObject } from '../git/snapshot/commit-snapshot.ts'
import { directoriesFor } from '../spec/specification/named-files.ts'
import { documentNameOf, isDocumentName } from '../state/repository/layout.ts'
import { shortCommit } from '../state/repository/revision.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'

/** A commit that is compared with another one. */
export type Side = {
  readonly commit: string
  readonly snapshot: Snapshot
  /** Reads its objects. */
  readonly read: ReadObject
}

/** New bytes by path; undefined: the file is removed. */
export type Changes = ReadonlyMap<string, Buffer | undefined>

/** Returns what has to change so that these files are as they were, byte by byte. */
export async function restored(paths: Iterable<string>, now: Side, then: Side): Promise<Changes> {
  const changes = new Map<string, Buffer | undefined>()
  for (const path of new Set(paths)) {
    const [own, before] = [await bytesAt(now, path), await bytesAt(then, path)]
    const isSame = own === undefined ? before === undefined : before !== undefined && own.equals(before)
    if (!isSame) changes.set(path, before)
  }
  return changes
}

/**
 * Returns the bytes of a file; undefined if there is none. Fails with `rollback-refused` if something else is in its
 * place, such as a symlink.
 */
export async function bytesAt({ commit, snapshot, read }: Side, path: string): Promise<Buffer | undefined> {
  const kind = await snapshot.kind(path)
  if (kind === 'missing') return undefined
  if (kind === 'file') return fileIn(commit, path, read)
  throw new Failure('rollback-refused', `${path}: is a ${kind} in ${shortCommit(commit)}, and no file`)
}

/** Returns the text of a file, and whether a byte order mark is in front of it. */
export async function textAt(
  side: Side,
  path: string,
): Promise<{ readonly mark: string; readonly text: string }> {
  const text = (await bytesAt(side, path))?.toString('utf8') ?? ''
  return text.startsWith('\ufeff') ? { mark: '\ufeff', text: text.slice(1) } : { mark: '', text }
}

/** Returns the documents in a directory; none if there is none. */
export async function documentsIn({ snapshot }: Side, directory: string): Promise<readonly string[]> {
  if ((await snapshot.kind(directory)) !== 'directory') return []
  const documents = (await snapshot.list(directory)).filter(({ name }) => isDocumentName(name))
  return documents.map(({ name }) => posix.join(directory, name))
}

/** Documents of an environment that are meant, by their names and by whether they are its own. */
export type MeantDocuments = {
  readonly directory: string
  readonly kind: 'applications' | 'deployments'
  readonly isMeant: (name: string, isOwn: boolean) => boolean
}

/**
 * Returns the documents that have to be as they were, so that an environment reads under these names what it read then:
 * its own ones, and the shared ones of names of which it had none of its own, which replace them.
 */
export async function documentsBehind(
  { directory, kind, isMeant }: MeantDocuments,
  now: Side,
  then: Side,
): Promise<readonly string[]> {
  const [shared, own] = directoriesFor(directory, kind)
  const listed = async ({ snapshot }: Side, below: string) =>
    (await snapshot.list(below))
      .map(({ name }) => name)
      .filter(name => isDocumentName(name) && isMeant(documentNameOf(name), below === own))
  const [ownThen, ownNow, sharedThen, sharedNow] = [
    await listed(then, own),
    await listed(now, own),
    await listed(then, shared),
    await listed(now, shared),
  ]
  const replaced = new Set(ownThen.map(documentNameOf))
  const read = [...sharedNow, ...sharedThen].filter(name => !replaced.has(documentNameOf(name)))
  return [
    ...[...ownNow, ...ownThen].map(name => posix.join(own, name)),
    ...read.map(name => posix.join(shared, name)),
  ]
}
