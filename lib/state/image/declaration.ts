import { isRecord, optional } from '../../object.ts'
import { byText } from '../../text/order.ts'

/** What an image says of how it runs, and of what it is for. */
export type ImageDeclaration = {
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** `NAME=value`. */
  readonly env: readonly string[]
  /** A name or a number, and with a colon the group; empty: root. */
  readonly user: string
  /** Empty: `/`. */
  readonly workingDir: string
  /** The ports on which it listens, in order. */
  readonly ports: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp' | 'sctp' }[]
  /** The paths where it expects volumes, in order. */
  readonly volumes: readonly string[]
  /** In order of their names; absent: it has none. */
  readonly labels?: readonly { readonly name: string; readonly value: string }[]
  /** What it is for, in its one spelling: `linux/arm64`. */
  readonly platform?: string
}

/** The most ports, volumes and labels of an image that are read, because its author may be anybody (G24). */
const most = 1_024

/** The most characters of all labels of an image that are read. Those that would exceed it are left out. */
const mostText = 65_536

/**
 * Reads what an image says of itself, as its configuration in a registry and the engine spell it. What has another form
 * than images have counts as not said.
 */
export function declarationOf(config: unknown, platform: string | undefined): ImageDeclaration {
  const said = isRecord(config) ? config : {}
  return {
    entrypoint: textsIn(said['Entrypoint']),
    command: textsIn(said['Cmd']),
    env: textsIn(said['Env']),
    user: textIn(said['User']),
    workingDir: textIn(said['WorkingDir']),
    ports: keysIn(said['ExposedPorts']).flatMap(portIn).sort(byPort),
    volumes: keysIn(said['Volumes'])
      .filter(path => path.startsWith('/'))
      .sort(byText(path => path)),
    ...optional('labels', labelsIn(said['Labels'])),
    ...optional('platform', platform),
  }
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
}

function keysIn(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value).slice(0, most) : []
}

function labelsIn(value: unknown): ImageDeclaration['labels'] {
  if (!isRecord(value)) return undefined
  let left = mostText
  const labels = Object.entries(value)
    .slice(0, most)
    .toSorted(byText(([name]) => name))
    .flatMap(([name, text]) => {
      const length = typeof text === 'string' ? name.length + text.length : Number.POSITIVE_INFINITY
      if (typeof text !== 'string' || length > left) return []
      left -= length
      return [{ name, value: text }]
    })
  return labels.length === 0 ? undefined : labels
}

type DeclaredPort = ImageDeclaration['ports'][number]

/** `8080/tcp`, or `8080`, which is the same. */
function portIn(text: string): readonly DeclaredPort[] {
  const [, digits = '', protocol = 'tcp'] = /^(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(text) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return []
  return protocol === 'tcp' || protocol === 'udp' || protocol === 'sctp' ? [{ port, protocol }] : []
}

function byPort(one: DeclaredPort, other: DeclaredPort): number {
  return one.port - other.port || (one.protocol < other.protocol ? -1 : 1)
}
