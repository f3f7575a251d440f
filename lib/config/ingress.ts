import { isIP, isIPv4 } from 'node:net'
import type { TallymanConfiguration as File } from '../config.gen.ts'
import { parseDuration } from '../spec/grammar/duration.ts'
import { readImage } from '../spec/image.ts'

/** What answers the requests of users, with every default filled in. */
export type IngressConfig = {
  /** A Caddy that the operator runs on every site is given the routes; none of ours is made. */
  readonly isExternal?: true
  readonly image: string
  readonly http: Listener
  readonly https: Listener
  /** Absent: nobody is told how the authority reaches a person; Let's Encrypt. The root is a PEM file. */
  readonly acme: { readonly email?: string; readonly directory?: string; readonly root?: string }
  /** PEM files. */
  readonly certificates: readonly { readonly cert: string; readonly key: string }[]
  /** Subnets, or addresses. */
  readonly trustedProxies: readonly string[]
  readonly accessLog: boolean
  /** Where gates take their addresses from, as `10.201.0.0/16`. */
  readonly subnets: string
  readonly holdMs: number
  /** An HTML file. */
  readonly unavailablePage?: string
  /** Absent: nobody asks. */
  readonly health?: Listener
}

/** A port of the host, on these of its addresses; on all of them where there is none. */
export type Listener = { readonly port: number; readonly addresses: readonly string[] }

/** Tells what is wrong with the value at a JSON pointer. */
export type Fault = (pointer: string, reason: string) => void

/** `ingress` as the schema allows it; undefined where it is `off`. */
export function readIngress(written: File['ingress'] = {}, fault: Fault): IngressConfig | undefined {
  if (written === 'external') return readIngress({ external: true }, fault)
  if (typeof written === 'string') return undefined
  const { acme = {}, certificates = [], trustedProxies = [], accessLog = false, unavailablePage } = written
  const image = readImage(written.image ?? usualImage)
  if (!image.ok) fault('/ingress/image', `"${written.image}" ${image.reason}`)
  const hold = parseDuration(written.hold ?? '5s')
  if (!hold.ok) fault('/ingress/hold', hold.reason)
  const subnets = written.subnets ?? '10.201.0.0/16'
  if (!isPool(subnets))
    fault(
      '/ingress/subnets',
      `"${subnets}" is no range to take subnets of 64 addresses from, as 10.201.0.0/16`,
    )
  trustedProxies.forEach((text, index) => {
    if (!isSubnet(text) && isIP(text) === 0)
      fault(`/ingress/trustedProxies/${index}`, `"${text}" is neither an address nor a subnet`)
  })
  const listeners = {
    http: { port: 80, addresses: [], ...written.http },
    https: { port: 443, addresses: [], ...written.https },
    ...(written.health === undefined ? {} : { health: { addresses: [], ...written.health } }),
  }
  if (written.external) faultPublished(written, fault)
  else faultListeners(listeners, fault)
  if (acme.root !== undefined) faultRoot(acme, written.external === true, fault)
  return {
    ...(written.external ? { isExternal: true } : {}),
    image: written.image ?? usualImage,
    ...listeners,
    acme,
    certificates,
    trustedProxies,
    accessLog,
    subnets,
    holdMs: hold.ok ? hold.value : 0,
    ...(unavailablePage === undefined ? {} : { unavailablePage }),
  }
}

const usualImage = 'caddy:2'

/** Who runs the container publishes its ports: all that is told of them is what users type. */
function faultPublished(
  written: Readonly<Partial<Record<'http' | 'https' | 'health', { readonly addresses?: unknown }>>>,
  fault: Fault,
): void {
  for (const name of ['http', 'https', 'health'] as const)
    if (written[name]?.addresses !== undefined)
      fault(
        `/ingress/${name}/addresses`,
        'says where a container of ours listens; with "external" there is none',
      )
}

/** The root of an authority is put into a container of ours, for that authority alone. */
function faultRoot({ directory }: IngressConfig['acme'], isExternal: boolean, fault: Fault): void {
  if (isExternal)
    fault('/ingress/acme/root', 'is put into a container of ours; with "external" have your Caddy trust it')
  if (directory === undefined)
    fault('/ingress/acme/root', 'vouches for an authority, which "directory" has to name')
}

/** Each address of the host has a port once. */
function faultListeners(listeners: Readonly<Record<string, Listener>>, fault: Fault): void {
  const seen: (readonly [string, Listener])[] = []
  for (const [name, listener] of Object.entries(listeners)) {
    listener.addresses.forEach((address, index) => {
      if (isIP(address) === 0)
        fault(`/ingress/${name}/addresses/${index}`, `"${address}" is no address of a host`)
    })
    const other = seen.find(([, earlier]) => overlap(earlier, listener))
    if (other !== undefined)
      fault(`/ingress/${name}`, `is where /ingress/${other[0]} is: port ${listener.port}`)
    seen.push([name, listener])
  }
}

function overlap(one: Listener, other: Listener): boolean {
  if (one.port !== other.port) return false
  const isEverywhere = [one, other].some(({ addresses }) => addresses.length === 0)
  return isEverywhere || one.addresses.some(address => other.addresses.includes(address))
}

function isSubnet(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(bits) <= (isIPv4(address) ? 32 : 128)
}

function isPool(text: string): boolean {
  const [address = '', bits] = text.split('/')
  return isSubnet(text) && isIPv4(address) && Number(bits) >= 8 && Number(bits) <= 26
}
