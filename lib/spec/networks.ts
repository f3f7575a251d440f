import type { Instance } from '../state/application/application.ts'
import type { Container, Port } from '../state/application/container/container.ts'
import { isGate } from '../state/application/ingress/route.ts'
import type { Network } from '../state/application/network.ts'
import type { ApplicationSpecification, Service } from './application.gen.ts'
import { parseAlias } from './grammar/host.ts'
import { expandPorts } from './grammar/port.ts'
import { type Policy, portViolations } from './policy/policy.ts'
import { isPresent } from './present.ts'
import type { Spot } from './spot.ts'

/** The owner of networks. */
export type NetworkOwner = {
  readonly environment: string
  readonly application: string
  readonly network: ApplicationSpecification['network']
}

/**
 * Returns the networks of an instance. The network of its application, or the one that it shares, reaches nothing
 * outside (A5, A47), and publishes nothing, because Docker publishes no port of such a network. A service that may
 * reach everything is attached to a second network. A service that only publishes ports is attached to a third one,
 * which packets do not leave.
 */
export function networksOf(
  owner: NetworkOwner,
  written: Service['network'],
  publishes: boolean,
): Pick<Instance, 'network' | 'attachments'> {
  const { environment, application } = owner
  const shared = owner.network?.['shared-application-network']
  if (written?.host === true) return { network: { name: 'host', mode: 'host' } }
  const network: Network =
    shared === undefined
      ? { name: ownName(environment, application), application, mode: 'internal' }
      : { name: `${environment}.${shared}.shared`, mode: 'internal' }
  if (written?.['outbound-access']?.['allow-all'] === true)
    return { network, attachments: [{ name: `${environment}.${application}.outbound`, application }] }
  if (!publishes) return { network }
  const published = {
    name: `${environment}.${application}.published`,
    application,
    mode: 'published',
  } as const
  return { network, attachments: [published] }
}

/** Of an application called `ingress` the usual name would be that of a gate (P12). */
function ownName(environment: string, application: string): string {
  const name = `${environment}.${application}`
  return isGate(name) ? `${name}.own` : name
}

/**
 * Returns further names of an instance on its network. They are sorted, so that another order is no difference (G2).
 */
export function readAliases(written: Service['network'], spot: Spot): readonly string[] {
  const aliases = written?.aliases ?? []
  if (aliases.length > 0 && written?.host === true)
    spot.at('aliases').fault('stands beside "host: true"; nobody has names on the host\'s network')
  const read = aliases.map((text, index) => spot.at('aliases', index).take(parseAlias(text)))
  return [...new Set(read.filter(isPresent))].sort()
}

/** Reads `ingress-ip-per-instance`: ports that are published under their own numbers (A45). */
export function readPublishedPorts(written: Service['network'], spot: Spot): readonly Port[] {
  const protocols = written?.['ingress-ip-per-instance']?.protocols ?? []
  return protocols.flatMap(({ name: protocol, 'port-ranges': ranges }, index) => {
    const place = spot.at('ingress-ip-per-instance', 'protocols', index, 'port-ranges')
    return place
      .text(ranges)
      .split(',')
      .flatMap(range => {
        const text = range.trim()
        if (!/^\d{1,5}(-\d{1,5})?$/.test(text)) {
          place.fault(`"${text}" is no port; write for example "80,443,8000-8010"`)
          return []
        }
        const ports = expandPorts({ target: text, published: text, hostIp: undefined, protocol })
        return place.take(ports) ?? []
      })
  })
}

/**
 * Returns the containers of a service with the ports of its network, which are on the first one. All containers share
 * one network, so it could be any of them. Notes a fault for each port that the policy refuses (G23).
 */
export function withPublishedPorts(
  members: readonly Container[],
  { network }: Service,
  policy: Policy,
  spot: Spot,
): readonly Container[] {
  const [first, ...others] = members
  const ingress = readPublishedPorts(network, spot)
  if (first === undefined || ingress.length === 0) return members
  const at = spot.at('ingress-ip-per-instance')
  for (const { reason } of portViolations(ingress, policy)) at.fault(reason, 'policy-violation')
  const ports = [...(first.ports ?? []), ...ingress].sort((a, b) => a.target - b.target)
  return [{ ...first, ports }, ...others]
}
