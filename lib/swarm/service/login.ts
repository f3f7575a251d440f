import { createHmac } from 'node:crypto'
import type { Client } from '../../docker/api/client.ts'
import type { RegistryLogin } from '../../engine.ts'
import { parseReference } from '../../state/image/reference.ts'
import { label, labelOf } from '../../state/labels.ts'
import type { ServiceSpec } from '../api/service.ts'
import type { KnownSwarm } from '../observe/observe.ts'

/** The login for the registry of an image, and the host of that. */
export type LoginThere = RegistryLogin & { readonly host: string }

/** Returns the login for the registry of an image; undefined if none is configured. It is read anew at each call. */
export async function loginThere(
  client: Pick<Client, 'login'>,
  image: string,
): Promise<LoginThere | undefined> {
  const { host } = parseReference(image)
  const login = await client.login(host)
  return login === undefined ? undefined : { ...login, host }
}

/**
 * Returns a specification with the mark of the login that the nodes get with it. They keep that login for each task that
 * starts later, so a mark that is no longer that of the login shows that it has ended, or will.
 */
export async function withLoginMark(
  { client, known }: { readonly client: Client; readonly known: KnownSwarm },
  spec: ServiceSpec,
): Promise<ServiceSpec> {
  const image = labelOf(spec.Labels, label.image)
  const login = image === undefined ? undefined : await loginThere(client, image)
  if (login === undefined) return spec
  return { ...spec, Labels: { ...spec.Labels, [label.login]: loginMarkOf(login, await known.key()) } }
}

/** Returns what stands for a login and tells nothing of it: without the key nobody can try passwords against it. */
export function loginMarkOf({ host, username, password }: LoginThere, key: Buffer): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([host, username, password]))
    .digest('hex')
    .slice(0, 16)
}
