import fs, { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../errors.ts'
import { candidatesOf, type Ref } from './ref.ts'

/** Where a repository on disk keeps what. */
export type GitDirectories = {
  /** Of this work tree: HEAD. */
  readonly own: string
  /** Of all work trees: objects and refs. */
  readonly common: string
}

/**
 * The directories behind a bare repository or a `.git`: follows `gitdir: …` of linked work trees and submodules, and
 * `commondir`. Fails with `repository-unsupported` for SHA-256 and for refs that are not files.
 */
export function directoriesOf(gitPath: string): GitDirectories {
  const link = /^gitdir: (.+)$/m.exec(readText(gitPath))?.[1]
  const own = link === undefined ? gitPath : resolve(dirname(gitPath), link.trim())
  const commonLink = readText(join(own, 'commondir')).trim()
  const common = commonLink === '' ? own : resolve(own, commonLink)
  const config = readText(join(common, 'config'))
  const format = /^[ \t]*(?:objectformat[ \t]*=[ \t]*(?!sha1)|refstorage[ \t]*=[ \t]*(?!files))(\S+)/im.exec(
    config,
  )?.[1]
  if (format !== undefined) throw new Failure('repository-unsupported', `${own}: uses the format ${format}`)
  return { own, common }
}

/** The ref that is meant, tags not followed to their commits; undefined when it is not there. */
export async function readLocalRef(
  directories: GitDirectories,
  ref: string | undefined,
): Promise<Ref | undefined> {
  const { currentBranch } = await import('isomorphic-git')
  for (const name of candidatesOf(ref)) {
    // isomorphic-git looks for branches next to HEAD, where a linked work tree has none.
    const head = name === 'HEAD'
    const target = head ? await currentBranch({ fs, gitdir: directories.own, fullname: true }) : undefined
    const oid = await settledOidOf(head && !target ? directories.own : directories.common, target ?? name)
    if (oid !== undefined) return { name, oid, ...(target ? { target } : {}) }
  }
  return undefined
}

/** The full names of all branches and tags. */
export async function listLocalRefs({ common }: GitDirectories): Promise<readonly string[]> {
  const { listBranches, listTags } = await import('isomorphic-git')
  const repository = { fs, gitdir: common }
  // Of packed annotated tags, isomorphic-git also lists what they stand for.
  const tags = (await listTags(repository)).filter(name => !name.endsWith('^{}'))
  const branches = await listBranches(repository)
  return [...branches.map(name => `refs/heads/${name}`), ...tags.map(name => `refs/tags/${name}`)]
}

/** A text file's content; empty when there is none. */
export function readText(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : ''
}

const mostLooks = 10

/**
 * What a ref means, though git may pack refs meanwhile. isomorphic-git reads the packed refs first and the ref's own
 * file then: when git moves the ref between the two, it is missed, or what it meant long ago is read. So what was read
 * counts only if the packed refs are the same before and after.
 */
async function settledOidOf(gitdir: string, ref: string): Promise<string | undefined> {
  for (let look = 1; ; look += 1) {
    const before = packedRefs(gitdir)
    const oid = await oidOf(gitdir, ref)
    if (before === packedRefs(gitdir) || look === mostLooks) return oid
  }
}

/** Changes with the file: it is never written in place. */
function packedRefs(gitdir: string): string {
  const file = statSync(join(gitdir, 'packed-refs'), { throwIfNoEntry: false, bigint: true })
  return file === undefined ? '' : `${file.ino} ${file.size} ${file.mtimeNs}`
}

async function oidOf(gitdir: string, ref: string): Promise<string | undefined> {
  const { Errors, resolveRef } = await import('isomorphic-git')
  try {
    return await resolveRef({ fs, gitdir, ref })
  } catch (error) {
    if (error instanceof Errors.NotFoundError) return undefined
    throw error
  }
}
