import { Failure } from '../../errors.ts'
import { limits } from '../limits.ts'
import type { Ref } from '../ref.ts'
import { type Connection, unusable } from './connection.ts'
import { delimiter, flush, packetLine, textOf } from './pkt-line.ts'

/** How a server speaks: protocol 2 lists what is asked for, protocol 0 lists everything at once. */
export type Greeting =
  | { readonly protocol: 2; readonly base: string }
  | { readonly protocol: 0; readonly base: string; readonly refs: readonly Ref[] }

/** The first request to a server. Fails as connections do, and with `repository-unsupported` for SHA-256. */
export async function greet(connection: Connection, address: string, signal: AbortSignal): Promise<Greeting> {
  const { packets, base } = await connection.advertisement(signal)
  const lines: string[] = []
  for await (const packet of packets) {
    if (packet.kind === 'data') lines.push(textOf(packet.bytes))
  }
  const [first = '', ...rest] = lines.filter(line => !line.startsWith('# service=') && line !== 'version 1')
  demandSha1(address, lines)
  if (first === 'version 2') return { protocol: 2, base }
  if (first.startsWith('ERR ')) throw unusable(address, first.slice(4))
  const [ref = '', capabilities = ''] = first.split('\0')
  return { protocol: 0, base, refs: parseRefs([ref, ...rest], capabilities) }
}

/** The refs that begin with one of the prefixes, by one request of protocol 2. */
export async function listRefs(
  connection: Connection,
  { base, prefixes }: { readonly base: string; readonly prefixes: readonly string[] },
  signal: AbortSignal,
): Promise<readonly Ref[]> {
  const lines = ['peel', 'symrefs', ...prefixes.map(prefix => `ref-prefix ${prefix}`)]
  const body = [packetLine('command=ls-refs'), delimiter, ...lines.map(packetLine), flush].join('')
  const refs: Ref[] = []
  for await (const packet of await connection.uploadPack(
    base,
    { protocol: 2, body, bytes: limits.refBytes },
    signal,
  )) {
    if (packet.kind !== 'data') continue
    const line = textOf(packet.bytes)
    if (line.startsWith('ERR ')) throw unusable(base, line.slice(4))
    const ref = parseRef(line)
    if (ref !== undefined) refs.push(ref)
  }
  return refs
}

/** `<oid> <name>[ symref-target:<ref>][ peeled:<oid>]`; undefined for anything else. */
function parseRef(line: string): Ref | undefined {
  const [oid = '', name = '', ...attributes] = line.split(' ')
  if (!/^[0-9a-f]{40}$/.test(oid) || name === '') return undefined
  const target = attribute(attributes, 'symref-target:')
  const peeled = attribute(attributes, 'peeled:')
  return {
    name,
    oid,
    ...(target === undefined ? {} : { target }),
    ...(peeled === undefined ? {} : { peeled }),
  }
}

function attribute(attributes: readonly string[], key: string): string | undefined {
  return attributes.find(one => one.startsWith(key))?.slice(key.length)
}

/** The list of protocol 0: peeled tags are lines of their own, where HEAD leads is a capability. */
function parseRefs(lines: readonly string[], capabilities: string): readonly Ref[] {
  const listed = lines.map(parseRef).filter(ref => ref !== undefined)
  const oids = new Map(listed.map(({ name, oid }) => [name, oid]))
  const head = /(?:^| )symref=HEAD:(\S+)/.exec(capabilities)?.[1]
  return listed
    .filter(({ name }) => !name.endsWith('^{}'))
    .map(ref => {
      const peeled = oids.get(`${ref.name}^{}`)
      return {
        ...ref,
        ...(peeled === undefined ? {} : { peeled }),
        ...(ref.name === 'HEAD' && head !== undefined ? { target: head } : {}),
      }
    })
}

function demandSha1(address: string, lines: readonly string[]): void {
  const format = lines
    .map(line => /(?:^|[\0 ])object-format=(\S+)/.exec(line)?.[1])
    .find(one => one !== undefined)
  if (format === undefined || format === 'sha1') return
  throw new Failure('repository-unsupported', `${address}: uses ${format} object names`)
}
