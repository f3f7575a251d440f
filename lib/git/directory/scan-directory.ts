import type { Dirent } from 'node:fs'
import { constants, existsSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { sep } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../../errors.ts'
import { isLookedFor } from '../../state/repository/layout.ts'
import type { EntryKind } from '../../state/repository/snapshot.ts'
import { gitLimits, tooLarge } from '../limits.ts'
import { nameFromBytes } from '../name-from-bytes.ts'
import { inaccessible } from '../snapshot/unreadable.ts'

/** What is below a directory: its directories, and the entries with a name that is looked for. */
export type Scanned = {
  /** The entries by their paths, relative to the directory. */
  readonly entries: ReadonlyMap<string, ScannedEntry>
  /** The time of the newest file, in ms since 1970. */
  readonly changedMs: number
}

export type ScannedEntry =
  | { readonly kind: Exclude<EntryKind, 'file'> }
  /** Without `content`, the file is larger than a manifest may be. */
  | { readonly kind: 'file'; readonly size: number; readonly content?: Buffer }

/** Directories that contain no manifests. */
export const ignoredNames: readonly string[] = ['.git', 'node_modules']

/**
 * Reads all files below a directory that are looked for into memory, without following symlinks. Fails with
 * `git-unreachable` if the directory cannot be read, and with `repository-too-large`.
 */
export async function scanDirectory(root: string, signal: AbortSignal): Promise<Scanned> {
  const entries = new Map<string, ScannedEntry>()
  const sideBySide = pLimit(16)
  let changedMs = 0
  let bytes = 0

  async function visit({ path: directory, onDisk }: Located, depth: number): Promise<void> {
    signal.throwIfAborted()
    if (depth > gitLimits.depth) throw tooLarge(root, `is more than ${gitLimits.depth} directories deep`)
    const files: Located[] = []
    for (const found of await readdir(onDisk, { withFileTypes: true, encoding: 'buffer' })) {
      const name = nameFromBytes(found.name)
      if (ignoredNames.includes(name)) continue
      const path = directory === '' ? name : `${directory}/${name}`
      const located = { path, onDisk: within(onDisk, found.name) }
      const kind = kindOf(found, located)
      if (kind === undefined) continue
      if (entries.size + files.length >= gitLimits.entries)
        throw tooLarge(root, `has more than ${gitLimits.entries} files`)
      if (kind === 'file') files.push(located)
      else entries.set(path, { kind })
      if (kind === 'directory') await visit(located, depth + 1)
    }
    await sideBySide.map(files, add)
  }

  async function add({ path, onDisk }: Located): Promise<void> {
    const file = await readManifest(onDisk)
    if (file === undefined) return
    if ('kind' in file) {
      entries.set(path, file)
      return
    }
    bytes += file.content?.byteLength ?? 0
    if (bytes > gitLimits.directoryBytes)
      throw tooLarge(root, `has more than ${gitLimits.directoryBytes} bytes of manifests`)
    changedMs = Math.max(changedMs, Math.floor(file.changedMs))
    const { size, content } = file
    entries.set(path, { kind: 'file', size, ...(content === undefined ? {} : { content }) })
  }

  try {
    await visit({ path: '', onDisk: Buffer.from(root) }, 0)
  } catch (error) {
    throw translate(root, error)
  }
  return { entries, changedMs }
}

/** The path of something in the repository, and the bytes of its path on the disk, which need not be UTF-8. */
type Located = { readonly path: string; readonly onDisk: Buffer }

function within(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from(sep), name])
}

function kindOf(found: Dirent<Buffer>, { path, onDisk }: Located): ScannedEntry['kind'] | undefined {
  if (found.isSymbolicLink()) return 'symlink'
  if (found.isDirectory()) return existsSync(within(onDisk, Buffer.from('.git'))) ? 'submodule' : 'directory'
  if (!isLookedFor(path)) return undefined
  return found.isFile() ? 'file' : 'special'
}

type ManifestFile = { readonly size: number; readonly changedMs: number; readonly content?: Buffer }

/** Undefined if the file was removed since it was listed; a kind if it is no longer a file. */
async function readManifest(
  path: Buffer,
): Promise<ManifestFile | { readonly kind: 'symlink' | 'special' } | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (!stat.isFile()) return { kind: 'special' }
    const { size, mtimeMs: changedMs } = stat
    if (size > gitLimits.objectBytes) return { size, changedMs }
    const content = Buffer.alloc(size)
    const { bytesRead } = await file.read(content, 0, size, 0)
    return { size, changedMs, content: content.subarray(0, bytesRead) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') return { kind: 'symlink' }
    throw error
  }
}

function translate(root: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error
  return inaccessible(root, error.message, error)
}
