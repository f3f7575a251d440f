import type { Difference } from '../compare/diff.ts'
import type { SiteResources } from '../resources.ts'
import type { Held } from './held.ts'

/** Returns why a service cannot start what it lacks; undefined if no network of others keeps it from that. */
export type HeldByNetwork = (difference: Pick<Difference, 'missing' | 'declared'>) => Held | undefined

/**
 * Finds the services that need a network whose name belongs to somebody else. The name of an environment may be that of
 * another one with the name of an application, such as `test.shop`, and `apply` would find out when it creates the
 * network.
 */
export function heldByNetworks({ taken = [] }: SiteResources): HeldByNetwork {
  const holders = new Map(taken.map(({ name, holder }) => [name, holder]))
  if (holders.size === 0) return () => undefined
  return ({ missing, declared }) => {
    if (missing.length === 0 || declared === undefined) return undefined
    const { instances, traffic } = declared.service
    const networks = [
      ...instances.flatMap(({ network, attachments = [] }) => [network, ...attachments]),
      ...(traffic?.role === 'backend' ? [traffic.gate.network] : []),
    ]
    for (const { name, mode } of networks) {
      const holder = holders.get(name)
      if (holder !== undefined && mode !== 'host')
        return { code: 'name-taken', reason: `the network ${name} is ${holder}` }
    }
    return undefined
  }
}
