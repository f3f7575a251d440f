import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure, messageOf } from '../errors.ts'
import { readRegularNow } from '../file/read-regular.ts'
import { limits } from '../limits.ts'

/** A configuration file that was read. `file` is its name in messages. */
export type ConfigFile = { readonly file: string; readonly text: string }

/** Where a configuration comes from. Paths are absolute. */
export type Origin = {
  /** Absent: there is no file. */
  readonly file?: string
  /** The file in the working directory that is not used, and why. */
  readonly passedOver?: { readonly file: string; readonly why: string }
}

/** Says in words which file is used. */
export function originText({ file, passedOver }: Origin): string {
  const taken = file ?? 'no file, only defaults'
  return passedOver === undefined ? taken : `${taken}; ${passedOverText(passedOver)}`
}

/** Says in words which file is not used, and why. */
export function passedOverText({ file, why }: NonNullable<Origin['passedOver']>): string {
  return `${file} is not used, because ${why}; to use it, name it with --config`
}

/**
 * Returns the path of a directory that a configuration names; undefined: it names none. Relative paths begin at the
 * configuration file, so that a fleet can be moved and copied together with it.
 */
export function besideFile(path: string | undefined, { file }: Origin): string | undefined {
  if (path === undefined) return undefined
  return resolve(file === undefined ? '.' : dirname(file), path)
}

/** Where files are looked for that nobody names: a directory, and the file of the machine. */
export type Places = { readonly directory: string; readonly machine: string }

const own = 'tallyman.yaml'

/**
 * Finds the configuration file: the one that is named, or else `tallyman.yaml` in the working directory, or else the
 * one in `/etc/tallyman`; undefined if there is none. A file among manifests is not used unless it is named, because
 * authors of manifests must not decide what they may do to this machine. Fails with `config-invalid` if a file that
 * would be used cannot be read.
 * @param repositoryIn the repository that a configuration would work with, as a URL or a path
 */
export function findFile(
  named: string | undefined,
  repositoryIn: (found: ConfigFile) => string | undefined,
  { directory, machine }: Places = { directory: process.cwd(), machine: '/etc/tallyman/tallyman.yaml' },
): { readonly found?: ConfigFile; readonly origin: Origin } {
  if (named !== undefined) {
    const file = resolve(directory, named)
    const text = readThere(file, named)
    if (text === undefined) throw notRead(`${named}: there is no such file`)
    return { found: { file: named, text }, origin: { file } }
  }
  const here = join(directory, own)
  const isThere = here !== machine && isAnything(here, own)
  // What authors of manifests may have put there is not even opened: it need be no file, and need not end.
  const whyUnread = isThere ? whyOfManifests(directory) : undefined
  const text = isThere && whyUnread === undefined ? readThere(here, own) : undefined
  const why = text === undefined ? whyUnread : whyOfRepository(directory, repositoryIn({ file: own, text }))
  if (text !== undefined && why === undefined) return { found: { file: own, text }, origin: { file: here } }
  const passedOver = why === undefined ? {} : { passedOver: { file: here, why } }
  const general = readThere(machine, machine)
  return general === undefined
    ? { origin: passedOver }
    : { found: { file: machine, text: general }, origin: { file: machine, ...passedOver } }
}

/** Returns why the files of a directory may come from authors of manifests, as far as the directory tells. */
function whyOfManifests(directory: string): string | undefined {
  const real = realpathSync(directory)
  const tree = upwards(real).find(isRepository)
  if (tree !== undefined) return `${tree} is a git repository`
  return existsSync(join(real, 'environments')) ? 'the directory holds manifests' : undefined
}

/** Returns why they may, as the repository tells that a file of the directory works with. */
function whyOfRepository(directory: string, named: string | undefined): string | undefined {
  const repository = localPath(directory, named)
  return repository !== undefined && isWithin(realpathSync(directory), repository)
    ? `${repository} is the manifests repository`
    : undefined
}

/** Whether a directory is a work tree, a `.git`, or a repository without a work tree. */
function isRepository(directory: string): boolean {
  return (
    existsSync(join(directory, '.git')) ||
    ['HEAD', 'objects', 'refs'].every(name => existsSync(join(directory, name)))
  )
}

/** Returns the directory and all its parents. */
function upwards(directory: string): readonly string[] {
  const above = dirname(directory)
  return above === directory ? [directory] : [directory, ...upwards(above)]
}

/** Returns the path of a repository on this machine; undefined if it is elsewhere, or there is none. */
function localPath(directory: string, repository = ''): string | undefined {
  const isFile = /^file:\/\//i.test(repository)
  if (repository === '' || (!isFile && /^[a-z][a-z0-9+.-]*:\/\//i.test(repository))) return undefined
  try {
    return realpathSync(isFile ? fileURLToPath(repository) : resolve(directory, repository))
  } catch {
    // What does not exist, or is no path, contains no file.
    return undefined
  }
}

function isWithin(directory: string, repository: string): boolean {
  const way = relative(repository, directory)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Whether there is something of that name, even if it is no file. */
function isAnything(file: string, name: string): boolean {
  return reading(name, () => lstatSync(file)) !== undefined
}

/** Undefined if there is no such file. */
function readThere(file: string, name: string): string | undefined {
  return reading(name, () => readRegularNow(file, { mostBytes: limits.documentCharacters }).toString())
}

function reading<T>(name: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && missing.includes(cause.code)) return undefined
    throw notRead(`${name}: cannot be read: ${messageOf(cause)}`, cause)
  }
}

function notRead(message: string, cause?: unknown): Failure {
  const hint = 'Correct the path that --config or TALLYMAN_CONFIG names, or the permissions of the file.'
  return new Failure('config-invalid', message, { hint, cause })
}

const missing: readonly unknown[] = ['ENOENT', 'ENOTDIR']
