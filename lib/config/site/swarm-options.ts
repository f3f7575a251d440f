import { optional } from '../../object.ts'
import type { SwarmIngress, SwarmOptions } from '../../state/application/swarm/swarm-service.ts'
import { isShare } from '../../state/application/volume.ts'
import type { IngressConfig } from '../ingress-config.ts'

/** What a site says of itself as a Swarm. */
export type WrittenSwarm = {
  readonly kind?: 'host' | 'swarm'
  readonly endpointMode?: SwarmOptions['endpoint']
  readonly publishMode?: SwarmOptions['publish']
  /** The endpoints of further managers. */
  readonly managers?: readonly string[]
  /** Where its ingress runs, and where that keeps what it writes. */
  readonly ingress?: {
    readonly node?: string
    readonly nodeLabels?: Readonly<Record<string, string>>
    readonly storage?: {
      readonly driver?: string
      readonly driver_opts?: Readonly<Record<string, string>>
    }
  }
}

/** Returns what is so of a site as a Swarm; undefined if it is a host. */
export function swarmOptionsOf(
  { kind, endpointMode, publishMode, ingress }: WrittenSwarm,
  all: Pick<IngressConfig, 'isExternal' | 'certificates'> | undefined,
): SwarmOptions | undefined {
  if (kind !== 'swarm') return undefined
  const { node, nodeLabels = {}, storage } = ingress ?? {}
  const constraints = [
    ...(node === undefined ? [] : [`node.id==${node}`]),
    ...Object.entries(nodeLabels).map(([label, value]) => `node.labels.${label}==${value}`),
  ]
  const own: SwarmIngress = {
    ...(constraints.length === 0 ? {} : { constraints }),
    ...(node === undefined ? {} : { isPinned: true }),
    ...optional(
      'storage',
      storage && { driver: storage.driver ?? 'local', ...optional('options', storage.driver_opts) },
    ),
    ...(all?.isExternal ? { isExternal: true } : {}),
    ...(all !== undefined && all.certificates.length > 0 ? { hasCertificates: true } : {}),
  }
  return { endpoint: endpointMode ?? 'vip', publish: publishMode ?? 'ingress', ingress: own }
}

/** Reports what only Swarms have at a site that is none, and a storage that would be another one on each node. */
export function faultSwarmKeys(
  site: WrittenSwarm,
  pointer: string,
  fault: (pointer: string, reason: string) => void,
): void {
  const { storage } = site.ingress ?? {}
  if (storage !== undefined && !isShare({ ...storage, ...optional('driverOptions', storage.driver_opts) }))
    fault(
      `${pointer}/ingress/storage`,
      'has neither a driver nor "driver_opts" of a share: each node would have its own',
    )
  if (site.kind === 'swarm') return
  for (const key of ['managers', 'endpointMode', 'publishMode', 'ingress'] as const)
    if (site[key] !== undefined) fault(`${pointer}/${key}`, 'is only for a site with "kind: swarm"')
}
