import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { readRegularNow } from '../../file/read-regular.ts'
import { candidatesOf, type Ref } from '../ref.ts'
import { regularFiles as fs } from './regular-files.ts'

/** The directories of a repository on disk. */
export type GitDirectories = {
  /** The directory of this work tree, with HEAD. */
  readonly own: string
  /** The directory of all work trees, with objects and refs. */
  readonly common: string
}

/**
 * Returns the directories behind a bare repository or a `.git`. Follows `gitdir: …` of linked work trees and
 * submodules, and `commondir`. Fails with `repository-unsupported` if the repository uses SHA-256 or keeps its refs in
 * something else than files.
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

/** Finds a ref, without following tags to their commits; undefined if it does not exist. */
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

/** Returns the full names of all branches and tags. */
export async function listLocalRefs({ common }: GitDirectories): Promise<readonly string[]> {
  const { listBranches, listTags } = await import('isomorphic-git')
  const repository = { fs, gitdir: common }
  // isomorphic-git also lists what packed annotated tags point to.
  const tags = (await listTags(repository)).filter(name => !name.endsWith('^{}'))
  const branches = await listBranches(repository)
  return [...branches.map(name => `refs/heads/${name}`), ...tags.map(name => `refs/tags/${name}`)]
}

/** Returns the content of a text file, and an empty text if there is no such file. */
export function readText(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readRegularNow(path).toString() : ''
}

const mostLooks = 10

/**
 * Returns the object that a ref names, also while git packs refs. isomorphic-git reads the packed refs first and the
 * file of the ref afterwards. If git moves the ref between the two, isomorphic-git misses it, or returns what it named
 * long ago. The result therefore counts only if the packed refs are the same before and after.
 */
async function settledOidOf(gitdir: string, ref: string): Promise<string | undefined> {
  for (let look = 1; ; look += 1) {
    const before = packedRefs(gitdir)
    const oid = await oidOf(gitdir, ref)
    if (before === packedRefs(gitdir) || look === mostLooks) return oid
  }
}

/** Returns a text that changes with the file. Git never writes that file in place. */
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
