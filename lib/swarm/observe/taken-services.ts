import type { Client } from '../../docker/api/client.ts'
import type { TakenService } from '../../plan/resources.ts'
import { swarmNamePrefix } from '../../state/application/swarm/swarm-service.ts'
import type { Identity } from '../../state/identity.ts'
import { askFor } from '../api/asked.ts'
import type { ToldService } from '../api/service.ts'
import { otherOwner } from '../service/find.ts'

/**
 * Returns the services that are not the owner's, and have names such as its services get: with one list call, which asks
 * for no others.
 */
export async function listTakenServices(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly TakenService[]> {
  const query = { filters: { name: [swarmNamePrefix(owner.environment)] } }
  const request = { method: 'GET', path: '/services', query } as const
  const services = await askFor<readonly ToldService[]>(client, 'list of services', request, signal)
  return services.flatMap(({ Spec }) => {
    const holder = otherOwner(Spec, owner)
    return holder === undefined ? [] : [{ name: Spec.Name, holder }]
  })
}
