import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { Failure, messageOf } from '../../errors.ts'
import type { Draft } from '../draft/draft.ts'
import { namesInDirectory } from '../names-in-directory.ts'
import type { NewObject } from '../objects/object.ts'
import { movedOn } from '../wire/push.ts'
import type { Branch } from '../writing.ts'
import { directoriesOf, type GitDirectories, readLocalRef, readText } from './local-refs.ts'
import { fillWhole, giveTo, replaceLocked } from './replace-locked.ts'

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
  const linked = namesInDirectory(join(common, 'worktrees')).map(name => join(common, 'worktrees', name))
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
    const file = await open(draft, 'wx', 0o444)
    await fillWhole(file, draft, deflateSync(Buffer.concat([head, content])), all)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

async function moveBranch(
  path: string,
  directories: GitDirectories,
  { name, commit: from }: Branch,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const file = join(directories.common, name)
  makeLike(dirname(file), join(directories.common, 'refs/heads'))
  const check = async () => {
    if (readText(file).startsWith('ref:'))
      throw new Failure(
        'push-impossible',
        `${path}: ${name} stands for another branch; name that one as "ref"`,
      )
    const now = await readLocalRef(directories, name)
    if (now?.oid !== from) throw movedOn(path, name)
  }
  await replaceLocked({ path, file, text: `${to}\n`, like: directories.common }, check, signal)
}

/** Makes a directory and what is above it like another one, so that whoever writes there still can. */
function makeLike(directory: string, like: string): void {
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return
  makeLike(dirname(directory), like)
  mkdirSync(directory)
  chmodSync(directory, statSync(like).mode & 0o7777)
  giveTo(directory, like)
}
