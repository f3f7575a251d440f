import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../../../errors.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { inspectExisting } from '../inspect/inspect.ts'
import { filesUpTo, firstEntry } from './archive.ts'
import { type FileOwner, ownerIn, readUser } from './passwd.ts'

/**
 * Returns the user that a container runs as, by number, as the engine will find it at the start. A name is looked up in
 * the container's own /etc/passwd, which is read and not run. Undefined if the name is not there, because the engine
 * will not start the container. Fails with `files-refused` if the user cannot be found out.
 */
export async function containerUser(
  client: Client,
  container: string,
  signal: AbortSignal,
): Promise<FileOwner | undefined> {
  const { Config } = await inspectExisting(client, container, signal)
  const user = readUser(Config.User ?? '')
  if (user.uid !== undefined) return { uid: user.uid, gid: user.gid ?? 0 }
  const passwd = await textOfFile(client, container, '/etc/passwd', signal)
  const owner = passwd === undefined ? undefined : ownerIn(passwd, user.name)
  return owner && { uid: owner.uid, gid: user.gid ?? owner.gid }
}

const mostBytes = 1024 * 1024
const mostLinks = 8

/** Returns the text of a file in a container that need not run; undefined if there is none. */
export async function textOfFile(
  client: Client,
  container: string,
  file: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let path = file
  for (let links = 0; links <= mostLinks; links += 1) {
    const answer = await client.call<Readable>(
      {
        method: 'GET',
        path: `/containers/${container}/archive`,
        query: { path },
        stream: { wholeMs: patientMs },
      },
      signal,
    )
    if (!answer.ok && answer.status === 404) return undefined
    if (!answer.ok) {
      const refusal = refused(client.site, `${container}: ${file}`, answer)
      throw refusal.code === 'engine-refused' ? unreadable(client.site, container, answer.message) : refusal
    }
    const found = await firstEntry(client.site, answer.body, filesUpTo(mostBytes), signal)
    if (found?.content !== undefined) return found.content.toString()
    const link = found?.header.type === 'symlink' ? found.header.linkname : undefined
    if (!link) throw unreadable(client.site, container, `${path} is no small file`)
    path = posix.resolve(posix.dirname(path), link)
  }
  throw unreadable(client.site, container, 'too many links')
}

function unreadable(site: string, container: string, why: string): Failure {
  return new Failure(
    'files-refused',
    `${site}: ${container}: the user that it runs as cannot be determined: ${why}`,
    {
      resource: container,
      hint: 'Give the mounts of its secrets a "uid", or the container a numeric "user".',
    },
  )
}
