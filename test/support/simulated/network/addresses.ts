import { Refusal } from '../server/refusal.ts'

/** An IPv4 subnet: its first address as a number, and the length of its prefix. */
export type Subnet = { readonly first: number; readonly prefix: number }

/** Reads `10.0.0.0/24`. */
export function readSubnet(text: string): Subnet {
  const [address = '', prefix = ''] = text.split('/')
  const bits = Number(prefix)
  const number = numberOf(address)
  if (!/^\d+$/.test(prefix) || bits > 32 || Number.isNaN(number))
    throw new Refusal(400, `invalid subnet ${text} : invalid CIDR block notation`)
  return { first: number - (number % 2 ** (32 - bits)), prefix: bits }
}

export function subnetText({ first, prefix }: Subnet): string {
  return `${addressText(first)}/${prefix}`
}

export function addressText(address: number): string {
  return [24, 16, 8, 0].map(bits => Math.floor(address / 2 ** bits) % 256).join('.')
}

export function numberOf(address: string): number {
  const parts = address.split('.').map(Number)
  return parts.length === 4 ? parts.reduce((sum, part) => sum * 256 + part, 0) : Number.NaN
}

export function overlap(a: Subnet, b: Subnet): boolean {
  return a.first <= lastOf(b) && b.first <= lastOf(a)
}

/** Returns the first address that is free: neither the network's, the gateway's nor the broadcast's. */
export function freeAddress(subnet: Subnet, taken: ReadonlySet<string>): string | undefined {
  for (let address = subnet.first + 2; address < lastOf(subnet); address += 1)
    if (!taken.has(addressText(address))) return addressText(address)
  return undefined
}

/** Yields the subnets of pools, such as `172.17.0.0/16` in pieces of 24 bits, in their order. */
export function* piecesOf(pools: readonly Pool[]): Generator<Subnet> {
  for (const { base, size } of pools) {
    const whole = readSubnet(base)
    for (let first = whole.first; first <= lastOf(whole); first += 2 ** (32 - size))
      yield { first, prefix: size }
  }
}

/** Where an engine takes subnets from that nobody chose. */
export type Pool = { readonly base: string; readonly size: number }

/** Those of an engine that is not configured otherwise. */
export const usualPools: readonly Pool[] = [
  ...Array.from({ length: 15 }, (_, at) => ({ base: `172.${17 + at}.0.0/16`, size: 16 })),
  { base: '192.168.0.0/16', size: 20 },
]

/** Returns the MAC address that a bridge gives to an address. */
export function macOf(address: string): string {
  const bytes = address.split('.').map(part => Number(part).toString(16).padStart(2, '0'))
  return ['02', '42', ...bytes].join(':')
}

function lastOf({ first, prefix }: Subnet): number {
  return first + 2 ** (32 - prefix) - 1
}
