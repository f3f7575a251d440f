import type { Client } from '../../docker/api/client.ts'
import { label, labelOf } from '../../state/labels.ts'
import { askFor } from '../api/asked.ts'
import type { ServiceSpec, ToldService } from '../api/service.ts'
import { type LoginThere, loginThere } from './login.ts'

/** Makes a service. The nodes get the login of its registry with it. */
export async function makeService(client: Client, body: ServiceSpec, signal: AbortSignal): Promise<void> {
  const login = await loginFor(client, body)
  await askFor(client, body.Name, { method: 'POST', path: '/services/create', body, ...login }, signal)
}

/**
 * Gives a service another specification, and the nodes the login of its registry. Fails with `service-changed` if
 * somebody changed it since it was looked at.
 */
export async function changeService(
  client: Client,
  { ID, Version }: ToldService,
  body: ServiceSpec,
  signal: AbortSignal,
): Promise<void> {
  const login = await loginFor(client, body)
  const query = { version: Version.Index }
  await askFor(
    client,
    body.Name,
    { method: 'POST', path: `/services/${ID}/update`, query, body, ...login },
    signal,
  )
}

type Login = { readonly login?: LoginThere }

async function loginFor(client: Client, { Labels }: ServiceSpec): Promise<Login> {
  const image = labelOf(Labels, label.image)
  const login = image === undefined ? undefined : await loginThere(client, image)
  return login === undefined ? {} : { login }
}
