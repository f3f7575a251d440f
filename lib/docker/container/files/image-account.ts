import { createHash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { Image } from '../../../state/application/container/container.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { imageOf } from '../config/container-config.ts'
import { filesUpTo, firstEntry, openArchive } from './archive.ts'
import { textOfFile } from './container-user.ts'
import { type FileOwner, ownerIn, readUser } from './passwd.ts'
import { followed } from './path-stat.ts'
import { probed } from './probe-container.ts'

/** Whose account a container has: `app:33`, or paths in place of the names. `of`: that container, for errors. */
type Account = { readonly image: Image; readonly user: string; readonly of: string }

/**
 * Returns a user as the engine takes it: a path in the place of a name means the owner of that file, and in the place
 * of a group its group (C10). The image is looked into and not run. Fails with `image-lacking` if it has no such path.
 */
export async function accountOf(
  client: Client,
  { image, user, of }: Account,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<string> {
  if (!hasPath(user)) return user
  const name = probeName(provenance, image)
  return probed(client, { name, image, resource: name }, provenance, () => read(), signal)

  async function read(): Promise<string> {
    const [one = '', group = ''] = user.split(':', 2)
    const uid = one.startsWith('/') ? (await ownerOfPath(client, { name, image, of }, one, signal)).uid : one
    const gid = group.startsWith('/')
      ? (await ownerOfPath(client, { name, image, of }, group, signal)).gid
      : group
    return group === '' ? String(uid) : `${uid}:${gid}`
  }
}

/** Returns the name of the container with which an image is looked into. */
export function probeName({ environment }: Provenance, image: Image): string {
  const hash = createHash('sha256')
    .update(`${environment} ${imageOf(image)}`)
    .digest('hex')
    .slice(0, 8)
  return `${environment}.look.${hash}`
}

function hasPath(user: string): boolean {
  return user.split(':', 2).some(one => one.startsWith('/'))
}

/** A container that may be looked into, and what it was made from; `of`: whose image that is, for errors. */
export type Looked = { readonly name: string; readonly image: Image; readonly of: string }

/** Fails with `image-lacking` unless the container has both the user and the group, or the paths in their places. */
export async function checkAccount(
  client: Client,
  looked: Looked,
  account: string,
  signal: AbortSignal,
): Promise<void> {
  const [user = '', group = ''] = account.split(':', 2)
  for (const path of [user, group]) if (path.startsWith('/')) await ownerOfPath(client, looked, path, signal)
  for (const [one, file, what] of [
    [user, '/etc/passwd', 'user'],
    [group, '/etc/group', 'group'],
  ] as const) {
    if (one === '' || one.startsWith('/') || readUser(one).uid !== undefined) continue
    const text = await textOfFile(client, looked.name, file, signal)
    if (ownerIn(text ?? '', one) === undefined)
      throw lacking(client, looked, `has no ${what} "${one}" in its ${file}`)
  }
}

/** Returns the failure of an image that has not what a pod needs of it. */
export function lacking(
  { site }: Client,
  { of, image: { reference } }: Pick<Looked, 'of' | 'image'>,
  what: string,
): Failure {
  return new Failure('image-lacking', `${site}: ${of}: ${reference} ${what}`, { resource: reference })
}

async function ownerOfPath(
  client: Client,
  looked: Looked,
  path: string,
  signal: AbortSignal,
): Promise<FileOwner> {
  const { name, image } = looked
  const found = await followed(client, name, path, signal)
  if (found === undefined) throw lacking(client, looked, `has no ${path}, whose owner is meant`)
  const answer = await openArchive(client, name, found.path, signal)
  if (!answer.ok) throw refused(client.site, `${image.reference}: ${path}`, answer)
  const entry = await firstEntry(client.site, answer.body, filesUpTo(0), signal)
  return { uid: entry?.header.uid ?? 0, gid: entry?.header.gid ?? 0 }
}
