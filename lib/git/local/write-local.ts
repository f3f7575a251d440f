import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, chownSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { Failure, messageOf } from '../../errors.ts'
import { sleep } from '../../timer.ts'
import type { Draft } from '../draft/draft.ts'
import type { NewObject } from '../objects/object.ts'
import { movedOn } from '../wire/push.ts'
import type { Branch } from '../writing.ts'
import { directoriesOf, type GitDirectories, readLocalRef, readText } from './local-refs.ts'

/**
 * Moves a branch of a repository on this machine on to a commit: the objects first, and then the branch, under git's
 * own lock. Whoever owns the repository owns what is written. Fails with `push-impossible` if the branch is checked out
 * or if hooks would be passed over, and as `Writing.push` does.
 */
export async function pushLocally(
  path: string,
  gitPath: string,
  branch: Branch,
  { commit, objects }: Draft,
  signal: AbortSignal,
): Promise<void> {
  const directories = directoriesOf(gitPath)
  refuseCheckedOut(path, directories, branch.name)
  refuseHooks(path, directories)
  try {
    for (const object of objects) await writeObject(directories, object)
    await moveBranch(path, directories, branch, commit, signal)
  } catch (error) {
    if (error instanceof Failure || signal.aborted) throw error
    throw new Failure('push-refused', `${path}: cannot be written: ${messageOf(error)}`, { cause: error })
  }
}

/** Whoever works there would see the change as one that they took back themselves. */
function refuseCheckedOut(path: string, { common }: GitDirectories, branch: string): void {
  const isBare = /^[ \t]*bare[ \t]*=[ \t]*true/im.test(readText(join(common, 'config')))
  const linked = namesIn(join(common, 'worktrees')).map(name => join(common, 'worktrees', name))
  const heads = [...(isBare ? [] : [common]), ...linked].map(own => readText(join(own, 'HEAD')).trim())
  if (!heads.includes(`ref: ${branch}`)) return
  throw new Failure(
    'push-impossible',
    `${path}: ${branch} is checked out in a work tree, which would not follow`,
  )
}

/** The hooks that git would run. No other program is started here. */
const hooks = [
  'pre-receive',
  'update',
  'proc-receive',
  'reference-transaction',
  'post-receive',
  'post-update',
] as const

function refuseHooks(path: string, { common }: GitDirectories): void {
  const isElsewhere = /^[ \t]*hookspath[ \t]*=/im.test(readText(join(common, 'config')))
  const found = hooks.find(name => isExecutable(join(common, 'hooks', name)))
  if (found === undefined && !isElsewhere) return
  throw new Failure(
    'push-impossible',
    `${path}: its ${found === undefined ? 'hooks (core.hooksPath)' : `hook "${found}"`} would be passed over`,
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** An object that is there already is not written again. */
async function writeObject({ common }: GitDirectories, { type, oid, content }: NewObject): Promise<void> {
  const all = join(common, 'objects')
  const directory = join(all, oid.slice(0, 2))
  const path = join(directory, oid.slice(2))
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return
  const draft = join(all, `tmp_obj_${randomBytes(6).toString('hex')}`)
  makeLike(directory, all)
  try {
    const head = Buffer.from(`${type} ${content.byteLength}\0`)
    await writeWhole(draft, deflateSync(Buffer.concat([head, content])), 0o444, all)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

/** The pauses before each try for the lock of a branch, which git holds for moments only. */
const pausesMs: readonly number[] = [0, 10, 20, 40, 80, 160]

async function moveBranch(
  path: string,
  directories: GitDirectories,
  { name, commit: from }: Branch,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const file = join(directories.common, name)
  const lock = `${file}.lock`
  makeLike(dirname(file), join(directories.common, 'refs/heads'))
  await takeLock(path, lock, `${to}\n`, directories.common, signal)
  try {
    if (readText(file).startsWith('ref:'))
      throw new Failure(
        'push-impossible',
        `${path}: ${name} stands for another branch; name that one as "ref"`,
      )
    const now = await readLocalRef(directories, name)
    if (now?.oid !== from) throw movedOn(path, name)
    await rename(lock, file)
  } finally {
    await rm(lock, { force: true })
  }
}

async function takeLock(
  path: string,
  lock: string,
  text: string,
  like: string,
  signal: AbortSignal,
): Promise<void> {
  for (const pauseMs of pausesMs) {
    if (pauseMs > 0) await sleep(pauseMs, signal)
    try {
      return await writeWhole(lock, Buffer.from(text), 0o644, like)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  throw new Failure('push-refused', `${path}: another process holds ${lock}`, {
    hint: 'Wait until git is done there. If no git runs, a crash left the file behind: remove it.',
  })
}

/** Writes a file that does not exist yet, and has it on the disk before it is used. */
async function writeWhole(path: string, bytes: Uint8Array, mode: number, like: string): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  giveTo(path, like)
}

/** Makes a directory and what is above it like another one, so that whoever writes there still can. */
function makeLike(directory: string, like: string): void {
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return
  makeLike(dirname(directory), like)
  mkdirSync(directory)
  chmodSync(directory, statSync(like).mode & 0o7777)
  giveTo(directory, like)
}

/** Only root may give something away, and everybody else writes what is their own. */
function giveTo(path: string, like: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(like)
  chownSync(path, uid, gid)
}

function namesIn(directory: string): readonly string[] {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : []
}
