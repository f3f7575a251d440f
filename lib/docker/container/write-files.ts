import { buffer } from 'node:stream/consumers'
import { Failure } from '../../errors.ts'
import type { Container, File, Mount } from '../../state/application/container.ts'
import { reveal } from '../../state/secret/text.ts'
import { withoutEnd } from '../../text/without-end.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { containerUser } from './container-user.ts'
import type { FileOwner } from './passwd.ts'

/**
 * Writes files into a container, over existing ones (G15). They belong to root, and those that not everybody may read
 * to the user of the container, unless they say otherwise. Missing directories are created with mode 0755, and existing
 * ones stay unchanged. Fails with `files-refused`.
 */
export async function writeFiles(
  client: Client,
  container: string,
  { files = [], mounts = [] }: Pick<Container, 'files' | 'mounts'>,
  signal: AbortSignal,
): Promise<void> {
  const own = files.filter(isOfItsUser)
  const others = files.filter(file => !isOfItsUser(file))
  // The others come first, because one of them may say who the user is.
  await write(client, container, { files: others, mounts }, root, signal)
  if (own.length === 0) return
  const user = await containerUser(client, container, signal)
  await write(client, container, { files: own, mounts }, user ?? root, signal)
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
    const answer = await client.call(
      {
        method: 'PUT',
        path: `/containers/${container}/archive`,
        query: { path: place },
        archive: await archiveOf(place, files, owner),
        limitMs: patientMs,
      },
      signal,
    )
    if (!answer.ok) throw refusedFiles(client.site, container, files, answer)
  }
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
  files: readonly File[],
  refusal: { readonly status: number; readonly message: string },
): Failure {
  const paths = files.map(({ path }) => path).join(', ')
  const failure = refused(site, `${container}: ${paths}`, refusal)
  const code = failure.code === 'engine-refused' ? 'files-refused' : failure.code
  return new Failure(code, failure.message, { resource: container })
}
