import { buffer } from 'node:stream/consumers'
import { Failure } from '../errors.ts'
import type { Container, File, Mount } from '../state/container.ts'
import { reveal } from '../state/text.ts'
import type { Client } from './client.ts'
import { refused } from './refusal.ts'

/**
 * Writes files into a container, over what is there (G15). They belong to root; directories that
 * are missing on the way are made with mode 0755, those that are there stay as they are. Fails with `files-refused`.
 */
export async function writeFiles(
  client: Client,
  container: string,
  { files = [], mounts = [] }: Pick<Container, 'files' | 'mounts'>,
  signal: AbortSignal,
): Promise<void> {
  const byPlace = Map.groupBy(files, ({ path }) => placeOf(path, mounts))
  for (const [place, files] of byPlace) {
    const answer = await client.call(
      {
        method: 'PUT',
        path: `/containers/${container}/archive`,
        query: { path: place },
        archive: await archiveOf(place, files),
        limitMs: 120_000,
      },
      signal,
    )
    if (!answer.ok) throw refusedFiles(client.site, container, files, answer)
  }
}

/** Where the engine has to unpack a file: a read-only root file system takes none, what is mounted into it does. */
function placeOf(path: string, mounts: readonly Mount[]): string {
  const around = mounts
    .filter(({ kind }) => kind !== 'tmpfs')
    .map(mount => mount.path.replace(/\/+$/, ''))
    .filter(mounted => path.startsWith(`${mounted}/`))
    .sort((a, b) => b.length - a.length)
  return around[0] || '/'
}

async function archiveOf(place: string, files: readonly File[]): Promise<Buffer> {
  const { pack } = await import('tar-stream')
  const archive = pack()
  const above = place === '/' ? 1 : place.length + 1
  for (const { path, content, mode } of files)
    archive.entry({ name: path.slice(above), mode }, Buffer.from(reveal(content)))
  archive.finalize()
  return buffer(archive)
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
