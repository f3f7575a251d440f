import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { posix } from 'node:path'
import type { Container } from '../container/container.ts'
import { missing, Refusal } from '../server/refusal.ts'
import { packed, unpack } from './files.ts'

/** What the engine says of a path, in a header. */
type Stat = {
  readonly name: string
  readonly size: number
  readonly mode: number
  readonly linkTarget: string
}

/** Go's marks of a directory and of a link in a mode. */
const directoryMark = 2 ** 31
const linkMark = 2 ** 27

/** Returns the header that describes a path in a container. */
export function statHeader(container: Container, path: string, as: string): string {
  const stat = { ...statOf(container, path, as), mtime: '1970-01-01T00:00:00Z' }
  return Buffer.from(JSON.stringify(stat)).toString('base64')
}

function statOf(container: Container, path: string, as: string): Stat {
  const name = posix.basename(path)
  const onHost = hostPathOf(container, path)
  if (onHost !== undefined) return statOnHost(path, onHost, notThere(path, as))
  const entry = container.files.at(path)
  if (entry === undefined) throw notThere(path, as)
  switch (entry.kind) {
    case 'file':
      return { name, size: entry.content.length, mode: entry.mode, linkTarget: '' }
    case 'link':
      return { name, size: 0, mode: entry.mode + linkMark, linkTarget: entry.to }
    case 'directory':
      return { name, size: 4096, mode: entry.mode + directoryMark, linkTarget: '' }
  }
}

/** Returns the text of a file in a container; undefined if there is none. */
export function textAt(container: Container, path: string): string | undefined {
  const onHost = hostPathOf(container, path)
  if (onHost !== undefined) return existsSync(onHost) ? readFileSync(onHost, 'utf8') : undefined
  const entry = container.files.at(path)
  return entry?.kind === 'file' ? entry.content.toString() : undefined
}

/** Returns the path on this machine, if it is inside of what is mounted from there. */
function hostPathOf({ mounts }: Container, path: string): string | undefined {
  const around = mounts.find(
    ({ type, target }) => type === 'bind' && (path === target || path.startsWith(`${target}/`)),
  )
  return around && posix.join(around.source, path.slice(around.target.length))
}

/** Like the engine, it tells where a link leads in the container, also one that is relative. */
function statOnHost(inside: string, path: string, refusal: Refusal): Stat {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw refusal
  const isLink = found.isSymbolicLink()
  const mark = isLink ? linkMark : found.isDirectory() ? directoryMark : 0
  return {
    name: posix.basename(inside),
    size: found.size,
    mode: (found.mode & 0o777) + mark,
    linkTarget: isLink ? posix.resolve(posix.dirname(inside), readlinkSync(path)) : '',
  }
}

function notThere(path: string, as: string): Refusal {
  return missing(`Could not find the file ${path} in container ${as}`)
}

/** Packs what stands at a path. */
export function readArchive(container: Container, path: string, as: string): Promise<Buffer> {
  if (container.files.at(path) === undefined) throw notThere(path, as)
  return packed(container.files, path)
}

/** Unpacks an archive into a directory of a container. */
export async function writeArchive(
  container: Container,
  path: string,
  archive: Buffer,
  as: string,
): Promise<void> {
  const into = container.files.at(path)
  if (into === undefined) throw notThere(path, as)
  if (into.kind !== 'directory') throw new Refusal(400, 'extraction point is not a directory')
  const isMounted = container.mounts.some(
    ({ target, isReadOnly }) => !isReadOnly && (path === target || path.startsWith(`${target}/`)),
  )
  if (container.hostConfig.ReadonlyRootfs && !isMounted)
    throw new Refusal(500, 'container rootfs is marked read-only')
  await unpack(container.files, path, archive)
}
