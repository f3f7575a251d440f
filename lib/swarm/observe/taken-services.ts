import type { Client } from '../../docker/api/client.ts'
import type { TakenName } from '../../plan/resources.ts'
import { swarmNamePrefix } from '../../state/application/swarm/swarm-service.ts'
import type { Identity } from '../../state/identity.ts'
import { servicesBy } from '../api/services.ts'
import { otherOwner } from '../service/find.ts'

/**
 * Returns the services that are not the owner's, and have names such as its services get: with one list call, which asks
 * for no others.
 */
export async function listTakenServices(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly TakenName[]> {
  const services = await servicesBy(client, { name: [swarmNamePrefix(owner.environment)] }, signal)
  return services.flatMap(({ Spec }) => {
    const holder = otherOwner(Spec, owner)
    return holder === undefined ? [] : [{ name: Spec.Name, holder }]
  })
}
