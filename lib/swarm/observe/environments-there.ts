import type { Client } from '../../docker/api/client.ts'
import { holders as holdersOnEngine } from '../../docker/observe/environments-there.ts'
import { type Holder, holderOf } from '../../state/identity.ts'
import { label } from '../../state/labels.ts'
import { servicesBy } from '../api/services.ts'

/** Returns every environment whose labels a service has, or anything else on the manager, each once. */
export async function holdersOnSwarm(client: Client, signal: AbortSignal): Promise<readonly Holder[]> {
  const filters = { label: [label.environment] }
  const [services, others] = await Promise.all([
    servicesBy(client, filters, signal),
    holdersOnEngine(client, signal),
  ])
  const found = [...services.flatMap(({ Spec }) => holderOf(Spec.Labels) ?? []), ...others]
  return [...new Map(found.map(holder => [JSON.stringify(holder), holder])).values()]
}
