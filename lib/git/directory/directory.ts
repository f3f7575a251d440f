import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Failure } from '../../errors.ts'
import { isLookedFor } from '../../state/repository/layout.ts'
import { ofDirectory, type Revision } from '../../state/repository/revision.ts'
import type { EntryKind, Snapshot } from '../../state/repository/snapshot.ts'
import { isoText } from '../../text/time.ts'
import type { Address } from '../address.ts'
import { headCommit } from '../local/local-repository.ts'
import { parseCommit } from '../objects/parse.ts'
import { byName, revisionOf } from '../snapshot/commit-snapshot.ts'
import { splitPath } from '../snapshot/path.ts'
import { unlistable, unreadable } from '../snapshot/unreadable.ts'
import type { OpenedSource } from '../source-type.ts'
import { decodeText, fileTooLarge } from '../text.ts'
import { type Scanned, scanDirectory } from './scan-directory.ts'
import { watchDirectory } from './watch-directory.ts'

/** Opens the files of a directory as they are, committed or not. The commit is the hash of all their contents. */
export function openDirectory({ name, path }: Extract<Address, { kind: 'local' }>): OpenedSource {
  let last: { readonly commit: string; readonly scanned: Scanned } | undefined

  async function scan(signal: AbortSignal) {
    const scanned = await scanDirectory(path, signal)
    last = { commit: commitOf(scanned), scanned }
    return last
  }

  return {
    address: name,
    lookUp: async signal => (await scan(signal)).commit,
    async snapshot(commit, signal) {
      const now = last?.commit === commit ? last : await scan(signal)
      if (now.commit !== commit)
        throw new Failure('commit-unreachable', `${path}: the files have changed since ${commit}`, {
          hint: 'Nothing to do; tallyman reads the directory again by itself.',
        })
      return snapshotOfFiles(now.scanned, await revisionFor(path, now))
    },
    async signed() {
      throw new Failure('signature-missing', `${path}: the files of a directory have no signature`, {
        hint: 'Name a "ref" under "repository", or a repository on a server: tallyman then reads commits, which can be signed, and not the working files.',
      })
    },
    watch: (onChange, signal) => watchDirectory(path, onChange, signal),
  }
}

function commitOf({ entries }: Scanned): string {
  const hash = createHash('sha256')
  for (const path of [...entries.keys()].sort()) {
    const entry = entries.get(path)
    if (entry === undefined || entry.kind === 'directory') continue
    hash.update(`${entry.kind} ${path}\0`)
    if (entry.kind === 'file') hash.update(entry.content ?? `${entry.size} bytes`).update('\0')
  }
  return `${ofDirectory}${hash.digest('hex').slice(0, 12)}`
}

/** Author and subject are those of the commit that the files were checked out from, if there is one. */
async function revisionFor(
  path: string,
  { commit, scanned }: { commit: string; scanned: Scanned },
): Promise<Revision> {
  const time = isoText(scanned.changedMs)
  const base = await baseOf(path)
  return { author: '', subject: '', ...base, ref: 'working tree', commit, time }
}

async function baseOf(path: string): Promise<Pick<Revision, 'author' | 'subject'> | undefined> {
  const gitPath = join(path, '.git')
  if (!existsSync(gitPath)) return undefined
  try {
    const head = await headCommit(gitPath)
    const object = await head?.find(head.commit)
    if (head === undefined || object?.type !== 'commit') return undefined
    const { author, subject } = revisionOf(head.commit, 'HEAD', parseCommit(object.content, head.commit))
    return { author, subject }
  } catch {
    // The files can be used without the repository around them.
    return undefined
  }
}

function snapshotOfFiles({ entries }: Scanned, revision: Revision): Snapshot {
  const children = new Map<string, { readonly name: string; readonly kind: EntryKind }[]>()
  for (const [path, { kind }] of entries) {
    const slash = path.lastIndexOf('/')
    const siblings = children.get(path.slice(0, Math.max(slash, 0))) ?? []
    siblings.push({ name: path.slice(slash + 1), kind })
    children.set(path.slice(0, Math.max(slash, 0)), siblings)
  }
  for (const siblings of children.values()) siblings.sort(byName)

  function kindOf(path: string): EntryKind | 'missing' {
    const parts = splitPath(path)
    for (let depth = 1; depth < parts.length; depth += 1) {
      const kind = entries.get(parts.slice(0, depth).join('/'))?.kind ?? 'missing'
      if (kind !== 'directory') return kind === 'file' ? 'missing' : kind
    }
    return path === '' ? 'directory' : (entries.get(path)?.kind ?? 'missing')
  }

  return {
    revision,
    async list(directory) {
      const kind = kindOf(directory)
      if (kind !== 'directory' && kind !== 'missing') throw unlistable(directory, kind)
      return children.get(directory) ?? []
    },
    async named(isWanted) {
      return [...entries]
        .filter(([path]) => isWanted(posix.basename(path)))
        .map(([path, { kind }]) => ({ path, kind }))
    },
    kind: async path => kindOf(path),
    async read(path) {
      const kind = kindOf(path)
      const entry = entries.get(path)
      if (kind === 'missing' && !isLookedFor(path)) throw notRead(path)
      if (kind !== 'file') throw unreadable(path, kind)
      if (entry?.kind !== 'file') throw unreadable(path, 'missing')
      if (entry.content === undefined) throw fileTooLarge(path, entry.size)
      return decodeText(entry.content, path)
    },
  }
}

function notRead(path: string): Failure {
  const message = `${path}: of a directory only files whose names end in .json, .yaml or .yml are read`
  return new Failure('file-missing', message, { resource: path })
}
