import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../errors.ts'

/** A configuration file that was read; `file` is how messages call it. */
export type ConfigFile = { readonly file: string; readonly text: string }

/** Where a configuration comes from; paths are absolute. */
export type Origin = {
  /** Absent: there is no file. */
  readonly file?: string
  /** The one in the working directory that was not taken, and why. */
  readonly passedOver?: { readonly file: string; readonly why: string }
}

/** In words, for whoever has to know which file counts. */
export function originText({ file, passedOver }: Origin): string {
  const taken = file ?? 'no file, only defaults'
  return passedOver === undefined ? taken : `${taken}; ${passedOverText(passedOver)}`
}

export function passedOverText({ file, why }: NonNullable<Origin['passedOver']>): string {
  return `${file} is not used, because ${why}; to use it, name it with --config`
}

/** Where files are looked for that nobody names: a directory, and the file of the machine. */
export type Places = { readonly directory: string; readonly machine: string }

const own = 'tallyman.yaml'

/**
 * The configuration file that counts: the one that is named, else `tallyman.yaml` here, else the one in `/etc/tallyman`;
 * undefined: there is none. What lies among manifests is passed over unless it is named: whoever writes those has no
 * say in what they may do to this machine. Fails with `config-invalid` where a file that would count cannot be read.
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
  const text = here === machine ? undefined : readThere(here, own)
  const why = text === undefined ? undefined : whyForeign(directory, repositoryIn, { file: own, text })
  if (text !== undefined && why === undefined) return { found: { file: own, text }, origin: { file: here } }
  const passedOver = why === undefined ? {} : { passedOver: { file: here, why } }
  const general = readThere(machine, machine)
  return general === undefined
    ? { origin: passedOver }
    : { found: { file: machine, text: general }, origin: { file: machine, ...passedOver } }
}

/** Why a file may be the word of whoever writes manifests; undefined: it is the operator's. */
function whyForeign(
  directory: string,
  repositoryIn: (found: ConfigFile) => string | undefined,
  found: ConfigFile,
): string | undefined {
  const real = realpathSync(directory)
  const tree = upwards(real).find(isRepository)
  if (tree !== undefined) return `${tree} is a git repository`
  if (existsSync(join(real, 'environments'))) return 'the directory holds manifests'
  const repository = localPath(directory, repositoryIn(found))
  return repository !== undefined && isWithin(real, repository)
    ? `${repository} is the manifests repository`
    : undefined
}

/** A work tree, the inside of a `.git`, or a repository without a work tree. */
function isRepository(directory: string): boolean {
  return (
    existsSync(join(directory, '.git')) ||
    ['HEAD', 'objects', 'refs'].every(name => existsSync(join(directory, name)))
  )
}

/** The directory, and all above it. */
function upwards(directory: string): readonly string[] {
  const above = dirname(directory)
  return above === directory ? [directory] : [directory, ...upwards(above)]
}

/** Where a repository on this machine is; undefined: it is elsewhere, or there is none. */
function localPath(directory: string, repository = ''): string | undefined {
  const isFile = /^file:\/\//i.test(repository)
  if (repository === '' || (!isFile && /^[a-z][a-z0-9+.-]*:\/\//i.test(repository))) return undefined
  try {
    return realpathSync(isFile ? fileURLToPath(repository) : resolve(directory, repository))
  } catch {
    // What is not there, or is no path, holds no file.
    return undefined
  }
}

function isWithin(directory: string, repository: string): boolean {
  const way = relative(repository, directory)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Undefined where there is no such file. */
function readThere(file: string, name: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && missing.includes(cause.code)) return undefined
    throw notRead(`${name}: cannot be read`, cause)
  }
}

function notRead(message: string, cause?: unknown): Failure {
  const hint = 'Correct the path that --config or TALLYMAN_CONFIG names, or the permissions of the file.'
  return new Failure('config-invalid', message, { hint, cause })
}

const missing: readonly unknown[] = ['ENOENT', 'ENOTDIR']
