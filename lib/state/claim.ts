import { isIP, SocketAddress } from 'node:net'
import type { Port } from './container.ts'

/** What only one may have, in its one form. */
export type Claim =
  /** Requests of users: `shop.example.com/api`. */
  | { readonly of: 'requests'; readonly text: string }
  | HostPort
  | HostCertificate
  /** What a name server answers on a network; it knows no case. */
  | { readonly of: 'name'; readonly network: string; readonly name: string }

export type HostPort = {
  readonly of: 'port'
  /** Absent: all addresses of the host. */
  readonly address?: string
  readonly port: number
  readonly protocol: Port['protocol']
}

/** What kind of certificate a host has: routes of one host that differ in it cannot all be had. */
export type HostCertificate = {
  readonly of: 'certificate'
  readonly host: string
  readonly tls: 'auto' | 'internal'
  /** Of the one who has all of the host, and is asked first. */
  readonly isWhole: boolean
}

/** The claim on a port of the host; none where the engine chooses one. */
export function hostPort({ published, hostIp, protocol }: Omit<Port, 'target'>): HostPort | undefined {
  if (published === undefined) return undefined
  const address = hostIp ? { address: addressOf(hostIp) } : {}
  return { of: 'port', ...address, port: published, protocol }
}

/** The claim on a name that is answered on a network. */
export function nameOn(network: string, name: string): Claim {
  return { of: 'name', network, name: name.toLowerCase() }
}

/** Whether two claims cannot both be had. */
export function meet(one: Claim, other: Claim): boolean {
  if (placeOf(one) !== placeOf(other)) return false
  if (one.of === 'certificate' && other.of === 'certificate') return one.tls !== other.tls
  return one.of !== 'port' || other.of !== 'port' || addressesMeet(one.address, other.address)
}

/** What is the same of all claims that can meet. */
export function placeOf(claim: Claim): string {
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

/** `host port 127.0.0.1:53/udp`, `tls auto for shop.example.com`, `the name web on the network prod`. */
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

/** Whether two sets of addresses have one in common: all of the host, all of a family, or one. */
export function addressesMeet(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return true
  return isIP(one) === isIP(other) && (isWhole(one) || isWhole(other))
}

/** An address in its one spelling: `0:0::1` is `::1`, and `::ffff:127.0.0.1` is `127.0.0.1`. */
export function addressOf(text: string): string {
  if (isIP(text) !== 6) return text
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  return mapped ?? address
}

/** Whether it stands for every address of its family. */
function isWhole(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}
