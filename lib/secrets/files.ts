import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { Failure, type Problem } from '../errors.ts'
import { emptyProvider, faulty, type Provided } from './provided.ts'

/**
 * Returns the files below a directory, each as a secret: `db/password` is the file of that path, without the newline at
 * its end. Skips names that begin with a dot. If a link leads out of the directory, or a file is too large or no text,
 * a warning names it, and its secret cannot be read. Files that everybody may read cause a warning.
 */
export async function fromFiles(directory: string | undefined): Promise<Provided> {
  if (directory === undefined) return emptyProvider
  try {
    const root = await realpath(resolve(directory))
    const paths = await pathsBelow(root, '', 0)
    if (paths.length > mostFiles) throw unreadable(`${directory}: holds more than ${mostFiles} files`)
    const files = await Promise.all(paths.map(path => readSecretFile(root, path)))
    return providedBy(directory, files)
  } catch (error) {
    return faulty(error instanceof Failure ? error : unreadable(`${directory}: ${reasonOf(error)}`, error))
  }
}

const mostFiles = 1_000
const deepest = 8
const largestBytes = 64 * 1024

/** Never follows links to directories. Follows links to files as far as `readSecretFile` allows. */
async function pathsBelow(root: string, below: string, depth: number): Promise<readonly string[]> {
  if (depth > deepest) throw unreadable(`${join(root, below)}: more than ${deepest} directories deep`)
  const entries = await readdir(join(root, below), { withFileTypes: true })
  const paths: string[] = []
  for (const entry of entries.filter(({ name }) => !name.startsWith('.'))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    const found = entry.isDirectory() ? await pathsBelow(root, path, depth + 1) : [path]
    for (const one of found) paths.push(one)
  }
  return paths
}

type SecretFile = { readonly name: string } & (
  | { readonly text: string; readonly isExposed: boolean }
  | { readonly reason: string }
)

async function readSecretFile(root: string, name: string): Promise<SecretFile> {
  const real = await realpath(join(root, name)).catch(() => undefined)
  if (real === undefined) return { name, reason: 'leads nowhere' }
  const inside = relative(root, real)
  if (inside === '..' || inside.startsWith(`..${sep}`)) return { name, reason: 'leads out of the directory' }
  try {
    await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    return { name, ...(await contentOf(file)) }
  } catch (error) {
    return { name, reason: reasonOf(error) }
  }
}

async function contentOf(
  file: FileHandle,
): Promise<{ readonly text: string; readonly isExposed: boolean } | { readonly reason: string }> {
  const status = await file.stat()
  if (!status.isFile()) return { reason: 'is no file' }
  if (status.size > largestBytes) return { reason: `is larger than ${largestBytes / 1024} KiB` }
  const bytes = Buffer.alloc(largestBytes + 1)
  let length = 0
  for (let more = -1; more !== 0 && length < bytes.length; length += more)
    more = (await file.read(bytes, length, bytes.length - length)).bytesRead
  if (length > largestBytes) return { reason: `is larger than ${largestBytes / 1024} KiB` }
  const text = bytes.toString('utf8', 0, length)
  if (!Buffer.from(text).equals(bytes.subarray(0, length))) return { reason: 'is not text (UTF-8)' }
  return { text: text.replace(/\r?\n$/, ''), isExposed: (status.mode & readableByAll) !== 0 }
}

const readableByAll = 0o004

function providedBy(directory: string, files: readonly SecretFile[]): Provided {
  const texts = new Map<string, string>()
  const unreadable = new Map<string, Problem>()
  const warnings: Problem[] = []
  const exposed: string[] = []
  for (const file of files)
    if ('text' in file) {
      texts.set(file.name, file.text)
      if (file.isExposed) exposed.push(file.name)
    } else {
      const message = `${join(directory, file.name)}: ${file.reason}`
      unreadable.set(file.name, { code: 'secrets-unreadable', message })
    }
  for (const warning of unreadable.values()) warnings.push(warning)
  if (exposed.length > 0) warnings.push(exposure(directory, exposed.toSorted()))
  return { texts, unreadable, warnings }
}

function exposure(directory: string, [first = '', ...more]: readonly string[]): Problem {
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return {
    code: 'secrets-exposed',
    message: `${join(directory, first)}${others}: every user of this host may read it`,
  }
}

function reasonOf(error: unknown): string {
  return `cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'})`
}

function unreadable(message: string, cause?: unknown): Failure {
  return new Failure('secrets-unreadable', message, cause === undefined ? {} : { cause })
}
