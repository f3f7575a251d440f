import { isIP, isIPv4 } from 'node:net'
import type { TallymanConfiguration as File } from '../config.gen.ts'
import { pointerTo } from '../document/document.ts'
import { parseDuration } from '../spec/grammar/duration.ts'
import { readImage } from '../spec/image.ts'
import type { Listeners } from '../state/listeners.ts'
import {
  faultAddresses,
  faultListeners,
  type ListenersWritten,
  type NoteFault,
  overlaid,
} from './listeners.ts'

/** The settings of the ingress, with every default filled in. */
export type IngressConfig = Listeners & {
  /** Set if the routes go to a Caddy that the operator runs on every site. Tallyman then creates none. */
  readonly isExternal?: true
  readonly image: string
  /** Where the ingresses of these environments listen instead. */
  readonly environments: Readonly<Record<string, Listeners>>
  /** Absent: Let's Encrypt, without an address to reach a person. The root is a PEM file. */
  readonly acme: { readonly email?: string; readonly directory?: string; readonly root?: string }
  /** PEM files. */
  readonly certificates: readonly { readonly cert: string; readonly key: string }[]
  /** Subnets, or addresses. */
  readonly trustedProxies: readonly string[]
  readonly accessLog: boolean
  /** The range of the addresses of gates, such as `10.201.0.0/16`. */
  readonly subnets: string
  readonly holdMs: number
  /** An HTML file. */
  readonly unavailablePage?: string
}

/** Reads `ingress` as the schema allows it; undefined if it is `off`. */
export function readIngressConfig(
  written: File['ingress'] = {},
  fault: NoteFault,
): IngressConfig | undefined {
  if (written === 'external') return readIngressConfig({ external: true }, fault)
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
  const own = Object.entries<ListenersWritten>(written.environments ?? {}).map(([name, one]) => ({
    name,
    one,
    pointer: pointerTo('/ingress/environments', name),
    listeners: overlaid(listeners, one),
  }))
  const judge = written.external ? faultPublished : faultAddresses
  judge({ http: written.http, https: written.https, health: written.health }, '/ingress', fault)
  for (const { one, pointer, listeners } of own) {
    judge(one, pointer, fault)
    if (one.health !== undefined && listeners.health === undefined)
      fault(`${pointer}/health`, 'has no port, and "health" of all environments gives none')
  }
  if (!written.external) {
    faultListeners(listeners, '/ingress', fault)
    for (const { listeners, pointer } of own) faultListeners(listeners, pointer, fault)
  }
  if (acme.root !== undefined) faultRoot(acme, written.external === true, fault)
  return {
    ...(written.external ? { isExternal: true } : {}),
    image: written.image ?? usualImage,
    ...listeners,
    environments: Object.fromEntries(own.map(({ name, listeners }) => [name, listeners])),
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

/** The operator publishes the ports of an external ingress. Its settings only say which ports users type. */
function faultPublished(written: ListenersWritten, pointer: string, fault: NoteFault): void {
  for (const [name, listener] of Object.entries(written))
    if (listener?.addresses !== undefined)
      fault(
        `${pointer}/${name}/addresses`,
        'says where a container of ours listens; with "external" there is none',
      )
}

/** The root of an authority is put into Tallyman's own container, and only for that authority. */
function faultRoot({ directory }: IngressConfig['acme'], isExternal: boolean, fault: NoteFault): void {
  if (isExternal)
    fault('/ingress/acme/root', 'is put into a container of ours; with "external" have your Caddy trust it')
  if (directory === undefined)
    fault('/ingress/acme/root', 'vouches for an authority, which "directory" has to name')
}

function isSubnet(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(bits) <= (isIPv4(address) ? 32 : 128)
}

/** Whether a text is a range of addresses that can be divided into networks of 64 addresses. */
export function isPool(text: string): boolean {
  const [address = '', bits] = text.split('/')
  return isSubnet(text) && isIPv4(address) && Number(bits) >= 8 && Number(bits) <= 26
}
