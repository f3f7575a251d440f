import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, messageOf } from '../errors.ts'
import { makeDirectory } from '../file/make-directory.ts'
import { sumOf } from '../numbers.ts'
import { gitLimits } from './limits.ts'
import { namesInDirectory } from './names-in-directory.ts'
import { isWhole } from './objects/is-whole.ts'
import { corrupt, isCorrupt, type Objects } from './objects/object.ts'
import { openPack } from './objects/pack/pack.ts'
import { openPacks } from './objects/pack/packs.ts'
import { rememberObjects } from './objects/remember.ts'
import { several } from './objects/several.ts'

/**
 * The objects that were fetched from one remote repository, or copied from one of this machine.
 * - There is one pack for each fetched commit, `<generation>/<commit>.pack`. A commit whose index exists is complete:
 *   it, all its trees and all its files are in the packs of its generation.
 * - A file gets its name when it is complete, and the index comes last: a crash leaves only files that nobody reads.
 * - A full generation is kept for older revisions until the next one is full too. Then it is removed, unless it has a
 *   commit that is needed: a version that can be gone back to without the server (A6).
 * - The store is only a copy: what is damaged is removed as soon as the server has sent it again, and never before.
 */
export type Store = {
  has(commit: string): boolean
  /** Whether an object exists and is complete. */
  holds(oid: string): boolean
  /** Opens the objects of all generations. Fails with `repository-corrupt`. */
  open(): Objects
  /** Returns the place of the next pack, and the commits that it may be based on. */
  next(): FetchPlace
  /**
   * Adds a pack. Fails with `commit-unreachable` if the commit is not in the pack, or as `indexPack` does. `where` is
   * for messages.
   */
  add(commit: string, place: FetchPlace, pack: AsyncIterable<Buffer>, where: string): Promise<void>
  /** Returns the place of a pack that is based on nothing, because something is damaged. */
  afresh(): FetchPlace
  /** Removes all generations but the newest, and those in which every needed commit is whole. */
  dropDamaged(): Promise<void>
}

export type FetchPlace = { readonly generation: number; readonly haves: readonly string[] }

/** Returns the directory of the store of a repository, below that of all of them. Equal addresses have one `name`. */
export function storeOf(storeDir: string, name: string): string {
  return join(storeDir, createHash('sha256').update(name).digest('hex').slice(0, 16))
}

/** Opens the store in a directory, which need not exist yet. `needed`: the commits that are to stay, if they are there. */
export function openStore(directory: string, needed: () => readonly string[] = () => []): Store {
  const directoryOf = (generation: number) => join(directory, String(generation))
  const neededIn = (generation: number) =>
    needed().filter(commit => existsSync(join(directoryOf(generation), `${commit}.idx`)))

  const self: Store = {
    has: commit => generationsIn(directory).some(one => existsSync(join(directoryOf(one), `${commit}.idx`))),
    holds(oid) {
      try {
        return self.open().find(oid) !== undefined
      } catch (error) {
        if (isCorrupt(error)) return false
        throw error
      }
    },
    open() {
      return several(generationsIn(directory).map(one => openPacks(directoryOf(one))))
    },
    next() {
      const [newest] = generationsIn(directory)
      if (newest === undefined) return { generation: 1, haves: [] }
      const packs = packsIn(directoryOf(newest))
      const bytes = sumOf(packs, pack => pack.bytes)
      if (packs.length >= gitLimits.packs || bytes > gitLimits.packBytes)
        return { generation: newest + 1, haves: [] }
      return { generation: newest, haves: packs.slice(0, 1).map(({ commit }) => commit) }
    },
    async add(commit, { generation }, pack, where) {
      const target = directoryOf(generation)
      const name = join(target, commit)
      const draft = `${name}.${randomBytes(4).toString('hex')}`
      try {
        makeDirectory(target)
        await writePack(`${draft}.pack`, pack, where)
        const { indexPack } = await import('./objects/pack/index-pack.ts')
        await writeFile(`${draft}.index`, await indexPack(`${draft}.pack`, where), { mode: 0o600 })
        await rename(`${draft}.pack`, `${name}.pack`)
        await rename(`${draft}.index`, `${name}.idx`)
        await demandCommit(name, commit, where)
        await remove(older => older < generation - 1 && neededIn(older).length === 0)
      } catch (error) {
        throw error instanceof Failure ? error : unwritable(directory, error)
      } finally {
        // Drafts that cannot be removed do no harm, and must not hide the failure itself.
        await Promise.allSettled([`${draft}.pack`, `${draft}.index`].map(path => rm(path, { force: true })))
      }
    },
    afresh: () => ({ generation: (generationsIn(directory)[0] ?? 0) + 1, haves: [] }),
    async dropDamaged() {
      const [newest] = generationsIn(directory)
      const isKept = (generation: number) => {
        const commits = neededIn(generation)
        return (
          commits.length > 0 && commits.every(one => isWhole(() => openPacks(directoryOf(generation)), one))
        )
      }
      await remove(older => older !== newest && !isKept(older))
    },
  }
  return self

  async function remove(isDue: (generation: number) => boolean): Promise<void> {
    const due = generationsIn(directory).filter(isDue)
    await Promise.all(due.map(one => rm(directoryOf(one), { recursive: true, force: true })))
  }
}

/** The newest generation comes first. */
function generationsIn(directory: string): readonly number[] {
  return namesInDirectory(directory)
    .filter(name => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => b - a)
}

type Pack = { readonly commit: string; readonly bytes: number; readonly writtenMs: number }

/** The newest pack comes first. */
function packsIn(directory: string): readonly Pack[] {
  return readdirSync(directory)
    .flatMap(name => {
      const commit = /^([0-9a-f]{40})\.idx$/.exec(name)?.[1]
      const pack = commit && statSync(join(directory, `${commit}.pack`), { throwIfNoEntry: false })
      return commit && pack ? [{ commit, bytes: pack.size, writtenMs: pack.mtimeMs }] : []
    })
    .sort((a, b) => b.writtenMs - a.writtenMs)
}

const checksumBytes = 20

/** Writes the pack while it arrives, and checks the SHA-1 at its end. */
async function writePack(path: string, pack: AsyncIterable<Buffer>, where: string): Promise<void> {
  const hash = createHash('sha1')
  const file = await open(path, 'wx', 0o600)
  let tail = Buffer.alloc(0)
  try {
    for await (const chunk of pack) {
      await file.writeFile(chunk)
      const bytes = Buffer.concat([tail, chunk])
      const end = Math.max(bytes.byteLength - checksumBytes, 0)
      hash.update(bytes.subarray(0, end))
      tail = bytes.subarray(end)
    }
  } finally {
    await file.close()
  }
  if (!tail.equals(hash.digest())) throw corrupt(where, 'the pack that the server sent is damaged')
}

async function demandCommit(name: string, commit: string, where: string): Promise<void> {
  const object = openPack(`${name}.idx`, rememberObjects()).find(commit)
  if (object?.type === 'commit') return
  await Promise.all([`${name}.idx`, `${name}.pack`].map(path => rm(path, { force: true })))
  const what = object === undefined ? 'has no' : `has a ${object.type}, not a commit, of the name`
  throw new Failure('commit-unreachable', `${where}: ${what} ${commit}`)
}

/** Returns the failure for a directory of fetched objects in which the system lets nothing be written. */
export function unwritable(directory: string, error: unknown): Failure {
  const reason = messageOf(error)
  return new Failure('git-store-unwritable', `${directory}: ${reason}`, { cause: error })
}
