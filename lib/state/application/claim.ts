import { isIP, SocketAddress } from 'node:net'
import { everySite, type SiteSet, shareSite, sitesInAny, sitesInSeveral } from '../fleet/site-set.ts'
import type { Port } from './container/container.ts'

/** Something that only one owner can have, in its one form. */
export type Claim =
  | Requests
  | HostPort
  | HostCertificate
  /** A name that a name server answers on a network. It is not case-sensitive. */
  | { readonly of: 'name'; readonly network: string; readonly name: string }

/** Requests of users. */
export type Requests = {
  readonly of: 'requests'
  /** A host and a path: `shop.example.com/api`. */
  readonly text: string
  /** No route below this path is anybody's either. It is never a whole host. */
  readonly isSubtree?: true
}

export type HostPort = {
  readonly of: 'port'
  /** Absent: all addresses of the host. */
  readonly address?: string
  readonly port: number
  readonly protocol: Port['protocol']
}

/** The kind of certificate of a host. Routes of one host that differ in it contradict each other. */
export type HostCertificate = {
  readonly of: 'certificate'
  readonly host: string
  readonly tls: 'auto' | 'internal'
  /** Set for the owner of the whole host, who decides. */
  readonly isWhole: boolean
}

/** Returns the claim on a port of the host; none if the engine chooses the port. */
export function hostPort({ published, hostIp, protocol }: Omit<Port, 'target'>): HostPort | undefined {
  if (published === undefined) return undefined
  const address = hostIp ? { address: addressOf(hostIp) } : {}
  return { of: 'port', ...address, port: published, protocol }
}

/** Returns the claim on a name on a network. */
export function nameOn(network: string, name: string): Claim {
  return { of: 'name', network, name: name.toLowerCase() }
}

/** Whether two claims exclude each other. */
export function meet(one: Claim, other: Claim): boolean {
  if (one.of === 'requests' && other.of === 'requests')
    return one.text === other.text || includes(one, other) || includes(other, one)
  if (claimKey(one) !== claimKey(other)) return false
  if (one.of === 'certificate' && other.of === 'certificate') return one.tls !== other.tls
  return one.of !== 'port' || other.of !== 'port' || addressesMeet(one.address, other.address)
}

/** Whether a claim has everything below its path, and another one is below it. */
function includes({ text, isSubtree }: Requests, other: Requests): boolean {
  return isSubtree === true && other.text.startsWith(`${text}/`)
}

/**
 * Returns what finds, for each one of these, those whose claims may exclude its own on a site of both, itself among them,
 * in their order: first those with the same key, then those around it, then those below it. The effort is that of what is
 * found, and sites are asked for only where several have one key.
 * @param sitesOf where each of them is; by default everywhere
 */
export function rivalsAmong<T extends { readonly claim: Claim }>(
  all: readonly T[],
  sitesOf: (one: T) => SiteSet = () => everySite,
): (one: T) => Iterable<T> {
  const alike = Map.groupBy(all, ({ claim }) => claimKey(claim))
  const subtrees = Map.groupBy(all.filter(isSubtree), ({ claim }) => claimKey(claim))
  const below = subtrees.size === 0 ? new Map<string, readonly T[]>() : inSubtrees(all, subtrees)
  const known = new Map<readonly T[], SiteSet>()
  const where = (group: readonly T[], join: (sets: Iterable<SiteSet>) => SiteSet): SiteSet => {
    const sites = known.get(group) ?? join(group.map(sitesOf))
    known.set(group, sites)
    return sites
  }
  function* onItsSites(one: T, group: readonly T[], met: SiteSet): Iterable<T> {
    const sites = sitesOf(one)
    if (shareSite(sites, met)) for (const other of group) if (shareSite(sites, sitesOf(other))) yield other
  }
  const isAlone = (one: T, same: readonly T[]) =>
    same.length === 1 || !shareSite(sitesOf(one), where(same, sitesInSeveral))
  function* amongSeveral(one: T, same: readonly T[]): Iterable<T> {
    if (isAlone(one, same)) yield one
    else yield* onItsSites(one, same, everySite)
    for (const around of keysAround(one.claim)) {
      const group = subtrees.get(around)
      if (group !== undefined) yield* onItsSites(one, group, where(group, sitesInAny))
    }
    if (!isSubtree(one)) return
    const inside = below.get(claimKey(one.claim)) ?? []
    yield* onItsSites(one, inside, where(inside, sitesInAny))
  }
  return one => {
    const same = alike.get(claimKey(one.claim)) ?? []
    // Most claims meet no other one, and a generator for each of them would be much to clean up.
    return subtrees.size === 0 && isAlone(one, same) ? [one] : amongSeveral(one, same)
  }
}

/** Returns those that lie in subtrees, by the key of the subtree. */
function inSubtrees<T extends { readonly claim: Claim }>(
  all: readonly T[],
  subtrees: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly T[]> {
  const inside = new Map<string, T[]>([...subtrees.keys()].map(key => [key, []]))
  for (const one of all) for (const key of keysAround(one.claim)) inside.get(key)?.push(one)
  return inside
}

function isSubtree({ claim }: { readonly claim: Claim }): boolean {
  return claim.of === 'requests' && claim.isSubtree === true
}

/** Returns the keys that subtrees have in which a claim may lie. */
function keysAround(claim: Claim): readonly string[] {
  if (claim.of !== 'requests') return []
  const { text } = claim
  const keys: string[] = []
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1))
    keys.push(claimKey({ of: 'requests', text: text.slice(0, at) }))
  return keys
}

/** Returns a text that is equal for all claims that may exclude each other, but for subtrees of requests. */
export function claimKey(claim: Claim): string {
  switch (claim.of) {
    case 'requests':
      return `requests ${claim.text}`
    case 'port':
      return `port ${claim.port}/${claim.protocol}`
    case 'certificate':
      return `certificate ${claim.host}`
    case 'name':
      return `name ${claim.network} ${claim.name}`
  }
}

/**
 * Returns a claim in words: `host port 127.0.0.1:53/udp`, `tls auto for shop.example.com`, `the name web on the network
 * prod`.
 */
export function claimText(claim: Claim): string {
  switch (claim.of) {
    case 'requests':
      return claim.text
    case 'port': {
      const { address, port, protocol } = claim
      const host = address === undefined ? '' : address.includes(':') ? `[${address}]:` : `${address}:`
      return `host port ${host}${port}${protocol === 'tcp' ? '' : `/${protocol}`}`
    }
    case 'certificate':
      return `tls ${claim.tls} for ${claim.host}`
    case 'name':
      return `the name ${claim.name} on the network ${claim.network}`
  }
}

/** Whether two sets of addresses overlap: all of the host, all of a family, or one address. */
export function addressesMeet(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return true
  return isIP(one) === isIP(other) && (isWhole(one) || isWhole(other))
}

/** Returns an address in its one spelling: `0:0::1` is `::1`, and `::ffff:127.0.0.1` is `127.0.0.1`. */
export function addressOf(text: string): string {
  if (isIP(text) !== 6) return text
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  return mapped ?? address
}

/** Whether an address stands for every address of its family. */
function isWhole(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}
