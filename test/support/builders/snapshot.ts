import { unlistable, unreadable } from '../../../lib/git/snapshot/unreadable.ts'
import { decodeText } from '../../../lib/git/text.ts'
import type { Revision } from '../../../lib/state/repository/revision.ts'
import type { Entry, EntryKind, Snapshot } from '../../../lib/state/repository/snapshot.ts'

/** In place of a file's text: a symlink or a submodule stands there. */
export const symlink = Symbol('symlink')
export const submodule = Symbol('submodule')

/** A repository's files by path; directories follow from them. */
export type Files = Readonly<Record<string, string | typeof symlink | typeof submodule>>

/** One state of a repository, held in memory. */
export function snapshotOf(files: Files, revision: Partial<Revision> = {}): Snapshot {
  const paths = new Map(Object.entries(files))
  const directories = directoriesOf(files)
  const kind = (path: string): EntryKind | 'missing' => {
    const there = paths.get(path)
    if (there === symlink) return 'symlink'
    if (there === submodule) return 'submodule'
    if (there !== undefined) return 'file'
    if (directories.has(path)) return 'directory'
    return path === '' ? 'missing' : passing(kind(parentOf(path)))
  }
  return {
    revision: { ...aRevision, ...revision },
    async list(directory) {
      const there = kind(directory)
      if (there !== 'directory' && there !== 'missing') throw unlistable(directory, there)
      return [...(directories.get(directory) ?? [])]
        .sort()
        .map((name): Entry => ({ name, kind: existing(kind(join(directory, name))) }))
    },
    async named(isWanted) {
      return [...new Set([...paths.keys(), ...directories.keys()])]
        .filter(path => isWanted(path.slice(path.lastIndexOf('/') + 1)))
        .map(path => ({ path, kind: existing(kind(path)) }))
    },
    kind: async path => kind(path),
    async read(path) {
      const text = paths.get(path)
      if (typeof text === 'string') return decodeText(Buffer.from(text), path)
      const there = kind(path)
      throw unreadable(path, there === 'file' ? 'missing' : there)
    },
  }
}

const aRevision: Revision = {
  ref: 'main',
  commit: '1111111111111111111111111111111111111111',
  author: 'Ada <ada@example.com>',
  subject: 'Deploy',
  time: '2024-01-01T00:00:00Z',
}

/** What stands directly in each directory. */
function directoriesOf(files: Files): ReadonlyMap<string, ReadonlySet<string>> {
  const directories = new Map<string, Set<string>>([['', new Set()]])
  for (const path of Object.keys(files))
    for (let child = path; child !== ''; child = parentOf(child)) {
      const siblings = directories.get(parentOf(child)) ?? new Set()
      directories.set(parentOf(child), siblings.add(child.slice(child.lastIndexOf('/') + 1)))
    }
  return directories
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function join(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

/** What a path is that does not exist itself, by what stands above it. */
function passing(above: EntryKind | 'missing'): EntryKind | 'missing' {
  return above === 'symlink' || above === 'submodule' ? above : 'missing'
}

function existing(kind: EntryKind | 'missing'): EntryKind {
  if (kind === 'missing') throw new Error('a directory lists what does not exist')
  return kind
}
