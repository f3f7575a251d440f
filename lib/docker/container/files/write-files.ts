import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Failure } from '../../../errors.ts'
import type { Container, File, Mount } from '../../../state/application/container/container.ts'
import { reveal } from '../../../state/secret/text.ts'
import { withoutEnd } from '../../../text/without-end.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { unpackInto } from './archive.ts'
import { containerUser } from './container-user.ts'
import type { FileOwner } from './passwd.ts'

/**
 * Writes files into a container, over existing ones (G15). They belong to root, and those that not everybody may read
 * to the user of the container, unless they say otherwise. Missing directories are created with mode 0755, and existing
 * ones stay unchanged, except for the directories of volumes that say whose they are. Fails with `files-refused`.
 */
export async function writeFiles(
  client: Client,
  container: string,
  { files = [], mounts = [] }: Pick<Container, 'files' | 'mounts'>,
  signal: AbortSignal,
): Promise<void> {
  await writeRoots(client, container, mounts, signal)
  const own = files.filter(isOfItsUser)
  const others = files.filter(file => !isOfItsUser(file))
  // The others come first, because one of them may say who the user is.
  await write(client, container, { files: others, mounts }, root, signal)
  if (own.length === 0) return
  const user = await containerUser(client, container, signal)
  await write(client, container, { files: own, mounts }, user ?? root, signal)
}

/** Gives the directories of volumes their permissions and owners (C21). */
async function writeRoots(
  client: Client,
  container: string,
  mounts: readonly Mount[],
  signal: AbortSignal,
): Promise<void> {
  const roots = mounts.flatMap(mount =>
    mount.kind === 'ephemeral' && mount.root !== undefined ? [{ path: mount.path, ...mount.root }] : [],
  )
  for (const { path, mode, uid, gid } of roots) {
    const { pack } = await import('tar-stream')
    const archive = pack()
    archive.entry({ name: `${posix.basename(path)}/`, type: 'directory', mode, ...owned(uid, gid) })
    archive.finalize()
    await put(client, container, posix.dirname(path), await buffer(archive), [path], signal)
  }
}

const root: FileOwner = { uid: 0, gid: 0 }

function isOfItsUser({ mode, uid }: File): boolean {
  return uid === undefined && (mode & 0o004) === 0
}

async function write(
  client: Client,
  container: string,
  { files, mounts }: { readonly files: readonly File[]; readonly mounts: readonly Mount[] },
  owner: FileOwner,
  signal: AbortSignal,
): Promise<void> {
  const byPlace = Map.groupBy(files, ({ path }) => placeOf(path, mounts))
  for (const [place, files] of byPlace) {
    const paths = files.map(({ path }) => path)
    await put(client, container, place, await archiveOf(place, files, owner), paths, signal)
  }
}

/** @param paths what it writes, for the message of a refusal */
async function put(
  client: Client,
  container: string,
  place: string,
  archive: Buffer,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const answer = await unpackInto(client, container, place, archive, signal)
  if (!answer.ok) throw refusedFiles(client.site, container, paths, answer)
}

/**
 * Returns where the engine has to unpack a file: a read-only root file system accepts none, but what is mounted into it
 * does.
 */
function placeOf(path: string, mounts: readonly Mount[]): string {
  const around = mounts
    .filter(({ kind }) => kind !== 'tmpfs')
    .map(mount => withoutEnd(mount.path, '/'))
    .filter(mounted => path.startsWith(`${mounted}/`))
    .sort((a, b) => b.length - a.length)
  return around[0] || '/'
}

async function archiveOf(place: string, files: readonly File[], owner: FileOwner): Promise<Buffer> {
  const { pack } = await import('tar-stream')
  const archive = pack()
  const above = place === '/' ? 1 : place.length + 1
  for (const { path, content, mode, uid = owner.uid, gid = owner.gid } of files)
    archive.entry({ name: path.slice(above), mode, ...owned(uid, gid) }, Buffer.from(reveal(content)))
  archive.finalize()
  return buffer(archive)
}

/** A plain header of an archive has six octal digits for each number. */
function owned(uid: number, gid: number): object {
  return Math.max(uid, gid) <= 0o777777 ? { uid, gid } : { pax: { uid: String(uid), gid: String(gid) } }
}

function refusedFiles(
  site: string,
  container: string,
  paths: readonly string[],
  refusal: { readonly status: number; readonly message: string },
): Failure {
  const failure = refused(site, `${container}: ${paths.join(', ')}`, refusal)
  const code = failure.code === 'engine-refused' ? 'files-refused' : failure.code
  return new Failure(code, failure.message, { resource: container })
}
