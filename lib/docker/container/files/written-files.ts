import { posix } from 'node:path'
import { limits } from '../../../limits.ts'
import { parsedJson } from '../../../parsed-json.ts'
import type { File } from '../../../state/application/container/container.ts'
import { label, labelOf } from '../../../state/labels.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import type { Inspected } from '../inspect/inspect.ts'
import { type ArchiveEntry, filesUpTo, firstEntry, openArchive } from './archive.ts'

/** A file in a container, with its content as text. */
export type WrittenFile = File & { readonly content: string }

/** Returns the files that were written into it when it was created, as they are now. Its label names them. */
export async function writtenFiles(
  client: Client,
  { Id, Config }: Pick<Inspected, 'Id' | 'Config'>,
  signal: AbortSignal,
): Promise<readonly WrittenFile[]> {
  const paths = pathsIn(labelOf(Config.Labels, label.files) ?? '[]')
  const isOfOurSize = filesUpTo(mostBytes, mostBytes)
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly WrittenFile[]> => {
      const answer = await openArchive(client, Id, path, signal)
      if (answer.ok) return fileIn(path, await firstEntry(client.site, answer.body, isOfOurSize, signal))
      if (answer.status === 404) return []
      throw refused(client.site, `${Id}: ${path}`, answer)
    }),
  )
  return found.flat()
}

/**
 * Tallyman writes no larger files into one container, all together: of a specification, as secrets, and the routes of an
 * ingress with their certificates. The container may have put others there.
 */
const mostBytes = 64 * 1024 * 1024

/** None if the label is of somebody else, who may write there what they like. */
function pathsIn(written: string): readonly string[] {
  const paths = parsedJson(written)
  const areOurs = Array.isArray(paths) && paths.length <= limits.files
  return areOurs ? paths.filter(path => typeof path === 'string') : []
}

/** Nothing if something else is at its path now. */
function fileIn(path: string, entry: ArchiveEntry | undefined): readonly WrittenFile[] {
  if (entry?.content === undefined || entry.header.name !== posix.basename(path)) return []
  const { mode = 0o644, uid = 0, gid = 0, pax } = entry.header
  const large: { readonly uid?: string; readonly gid?: string } = pax ?? {}
  return [
    {
      path,
      content: entry.content.toString(),
      mode: mode & 0o7777,
      uid: Number(large.uid ?? uid),
      gid: Number(large.gid ?? gid),
    },
  ]
}
