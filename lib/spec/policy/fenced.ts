import type { Service } from '../../state/application/application.ts'
import type { Port } from '../../state/application/container/container.ts'
import type { Secrets } from '../../state/secret/secrets.ts'
import type { Service as Written } from '../application.gen.ts'
import { portsAt, routesAt } from '../claims/claims.ts'
import type { Spot } from '../spot.ts'
import { allowBy } from './allow-by.ts'
import {
  type Fence,
  mayHaveAllBelow,
  mayHaveHost,
  mayHaveSecret,
  mayPublish,
  mayUseAllPorts,
} from './fence.ts'

/** Notes a fault for each host and each port of an application that the operator lists only for others (G23). */
export function faultFenced(
  application: string,
  services: readonly Service[],
  written: readonly Written[],
  fence: Fence,
  spot: Spot,
): void {
  written.forEach((own, index) => {
    const service = services[index]
    if (service !== undefined) faultHosts(application, service, own, fence, spot.at(index))
    faultPorts(application, own, fence, spot.at(index))
  })
}

/**
 * Returns the secrets with a refusal for those that the application may not have. The fault is noted where it asks for
 * one.
 */
export function fencedSecrets(secrets: Secrets, application: string, fence: Fence): Secrets {
  if (fence.secrets === undefined) return secrets
  return {
    ...secrets,
    refusal: (name, isPrefix) =>
      (isPrefix ? mayHaveAllBelow(fence, name) : mayHaveSecret(fence, name))
        ? undefined
        : `asks for ${isPrefix ? `all secrets below "${name}"` : `the secret "${name}"`}${kept(application, fence, 'secrets', isPrefix ? `${name}*` : name)}`,
  }
}

function faultHosts(application: string, service: Service, written: Written, fence: Fence, spot: Spot): void {
  for (const { route, place } of routesAt(service, written, spot))
    if (!mayHaveHost(fence, route.host)) {
      const what = route.host === undefined ? 'every host that nobody names' : `the host ${route.host}`
      place.fault(
        `asks for ${what}${kept(application, fence, 'hosts', route.host ?? '*')}`,
        'policy-violation',
      )
    }
}

/** For a range, reports the first port and the number of the others. */
function faultPorts(application: string, written: Written, fence: Fence, spot: Spot): void {
  if (fence.ports === undefined) return
  if (written.network?.host === true && !mayUseAllPorts(fence))
    spot
      .at('network', 'host')
      .fault(`has every port of the host${kept(application, fence, 'ports', '*')}`, 'policy-violation')
  faultPublished(application, portsAt(written, spot), fence)
}

/** Notes a fault for each port of the host that the operator lists only for others, at the place where it is written. */
export function faultPublished(
  application: string,
  published: readonly { readonly port: Port; readonly place: Spot }[],
  fence: Fence,
): void {
  if (fence.ports === undefined) return
  const refused = published.filter(({ port }) => !mayPublish(fence, port))
  for (const group of Map.groupBy(refused, ({ place }) => place.pointer).values()) {
    const [first, ...rest] = group
    if (first === undefined) continue
    const { published, protocol, target } = first.port
    const end = protocol === 'tcp' ? '' : `/${protocol}`
    const what =
      published === undefined
        ? `publishes port ${target}${end} where the engine chooses`
        : `publishes host port ${published}${end}`
    const more = rest.length === 0 ? '' : ` and ${rest.length} more`
    const rules = rangesOf(group.map(({ port }) => port))
    first.place.fault(`${what}${more}${kept(application, fence, 'ports', ...rules)}`, 'policy-violation')
  }
}

/** Returns what would have to be listed for these ports: `9000-9003/udp`. */
function rangesOf(ports: readonly Port[]): readonly string[] {
  if (ports.some(({ published }) => published === undefined)) return ['*']
  const ranges: { readonly first: number; last: number; readonly protocol: Port['protocol'] }[] = []
  for (const { published = 0, protocol } of ports) {
    const open = ranges.at(-1)
    if (open?.protocol === protocol && open.last + 1 === published) open.last = published
    else ranges.push({ first: published, last: published, protocol })
  }
  return ranges.map(({ first, last, protocol }) => {
    const end = protocol === 'tcp' ? '' : `/${protocol}`
    return `${first}${last === first ? '' : `-${last}`}${end}`
  })
}

function kept(
  application: string,
  { meant }: Fence,
  kind: 'hosts' | 'secrets' | 'ports',
  ...rules: readonly string[]
): string {
  const isPlain = kind === 'ports' ? /^[0-9a-z/-]+$/ : /^[A-Za-z][A-Za-z0-9_./-]*$/
  const list = rules.map(rule => (isPlain.test(rule) ? rule : JSON.stringify(rule))).join(', ')
  const near = meant === undefined ? '' : ` (the nearest entry is for "${meant}")`
  return `, which the operator does not list for ${application}${near}${allowBy(`applications: {${application}: {${kind}: [${list}]}}`)}`
}
