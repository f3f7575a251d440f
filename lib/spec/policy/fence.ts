import type { Port } from '../../state/application/container/container.ts'
import { nearest } from '../../text/suggestion/nearest.ts'

/** What the operator allows applications: an entry of `policy.applications`, with hosts in their one form. */
export type Grant = {
  /** A name, or `*` for all. */
  readonly environment: string
  /** A name, or `*` for all. */
  readonly application: string
  /** As in routes; `*` stands for every host, and for routes without one. */
  readonly hosts?: readonly string[]
  /** A `*` at the end stands for any rest. */
  readonly secrets?: readonly string[]
  readonly ports?: readonly PortRange[]
}

export type PortRange = {
  /** 0 stands for a port that the engine chooses. */
  readonly first: number
  readonly last: number
  /** Absent: all protocols. */
  readonly protocol?: Port['protocol']
}

/** What one application may ask for. A kind that no entry lists is absent, and everybody may ask for it. */
export type Fence = Pick<Grant, Kind> & {
  /** The application whose entries were probably meant for this one, which has no entry under its own name. */
  readonly meant?: string
}

type Kind = 'hosts' | 'secrets' | 'ports'

/**
 * Returns what an application may ask for. If any entry lists a kind, that kind is fenced for all applications: each
 * may have what the entries for it list, and nothing else.
 */
export function fenceFor(grants: readonly Grant[], environment: string, application: string): Fence {
  const own = grants.filter(
    grant => ['*', environment].includes(grant.environment) && ['*', application].includes(grant.application),
  )
  const isFenced = (kind: Kind) => grants.some(grant => grant[kind] !== undefined)
  const named = grants.map(grant => grant.application).filter(name => name !== '*')
  const meant = named.includes(application) ? undefined : nearest(application, named)
  return {
    ...(meant === undefined ? {} : { meant }),
    ...(isFenced('hosts') ? { hosts: own.flatMap(({ hosts = [] }) => hosts) } : {}),
    ...(isFenced('secrets') ? { secrets: own.flatMap(({ secrets = [] }) => secrets) } : {}),
    ...(isFenced('ports') ? { ports: own.flatMap(({ ports = [] }) => ports) } : {}),
  }
}

/** Whether routes may have a host; absent: every host that nobody names. */
export function mayHaveHost({ hosts }: Fence, host: string | undefined): boolean {
  if (hosts === undefined || hosts.includes('*')) return true
  if (host === undefined) return false
  return hosts.includes(host) || hosts.includes(`*${host.slice(host.indexOf('.'))}`)
}

/** Whether a container may have a secret. */
export function mayHaveSecret({ secrets }: Fence, name: string): boolean {
  return secrets?.some(one => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one)) ?? true
}

/** Whether a container may have all secrets below a prefix, whichever exist. */
export function mayHaveAllBelow({ secrets }: Fence, prefix: string): boolean {
  return secrets?.some(one => one.endsWith('*') && prefix.startsWith(one.slice(0, -1))) ?? true
}

/** Whether a port may be published. Without a port of the host, the engine chooses one. */
export function mayPublish({ ports }: Fence, { published = 0, protocol }: Omit<Port, 'target'>): boolean {
  return (
    ports?.some(
      one =>
        one.first <= published &&
        published <= one.last &&
        (one.protocol === undefined || one.protocol === protocol),
    ) ?? true
  )
}

/** Whether every port of the host may be used. */
export function mayUseAllPorts({ ports }: Fence): boolean {
  return ports?.some(one => one.first === 0 && one.protocol === undefined) ?? true
}
