import type { Problem } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { isMetadataNetwork } from '../../state/application/metadata.ts'
import { wantedNetworks } from '../../state/application/wanted-networks.ts'
import type { Change } from '../change/change.ts'
import { stepsOf } from '../step/step.ts'

/** For how many networks an engine has addresses by default. */
const usually = 30

/** Warns if networks are to be made, and there are more in all than there usually are addresses for. */
export function addressWarnings(changes: readonly Change[], desired: DesiredState): readonly Problem[] {
  const made = new Set(
    changes.flatMap(({ prepare, held }) =>
      held === undefined ? stepsOf(prepare, 'create-network').map(({ network }) => network.pool) : [],
    ),
  )
  if (made.size === 0) return []
  const all = new Map(
    wantedNetworks(desired)
      .filter(({ mode }) => mode !== 'host')
      .map(({ name, pool }) => [name, pool] as const),
  )
  const isOfPods = (pool: string) => [...all].some(([name, one]) => one === pool && isMetadataNetwork(name))
  return [...made].flatMap(pool => {
    const wanted = [...all.values()].filter(other => other === pool).length
    const room = pool === undefined ? usually : subnetsIn(pool)
    if (wanted <= room) return []
    const where =
      pool === undefined
        ? 'an engine with the default address pools'
        : `${pool}, "subnets" of the ${isOfPods(pool) ? 'metadata service' : 'ingress'},`
    return [
      {
        code: 'address-pool-small' as const,
        message: `the plan needs ${wanted} networks, but ${where} has addresses for ${room}: applications that get no network are left out`,
      },
    ]
  })
}

/** The number of subnets of 64 addresses. */
function subnetsIn(pool: string): number {
  return 2 ** Math.max(0, 26 - Number(pool.split('/')[1]))
}
