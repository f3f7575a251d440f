import { isRecord } from '../../object.ts'
import { parsedJson } from '../../parsed-json.ts'

/** What a command in the container of the ingress said, and how it ended; without an exit code it has not ended. */
type Reply = { readonly output: string; readonly exitCode?: number }

/**
 * Whether a Caddy is older than 2.11, according to the output of `caddy version`. Without a version it counts as new.
 */
export function isOlder(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./m.exec(version) ?? []
  return major === '2' && Number(minor) < 11
}

/** Whether `caddy reload` reached no Caddy, which may still be starting. */
export function isNotThere({ exitCode, output }: Reply): boolean {
  return exitCode !== 0 && /connect: connection refused/.test(output)
}

/** Returns the lines of keys and certificates in a configuration, which a refusal may quote (G16). */
export function keyLines(configuration: string): readonly string[] {
  return configuration.match(/(?<=\\n)[\w+/=]{8,}(?=\\n)/g) ?? []
}

/** Returns the error that the last line of a refused `caddy reload` quotes, or else that line. */
export function refusalIn(line: string): string {
  const [begin, end] = ['{"error":"', '"}']
  const from = line.lastIndexOf(begin)
  return from === -1 || !line.endsWith(end) ? line : line.slice(from + begin.length, -end.length)
}

/** The prefix of the mark in the configuration of the operator's own ingress. */
export const loadedId = 'tallyman-routes-'

/** Returns the mark of the configuration that the operator's own ingress has loaded; undefined if it is not ours. */
export function loadedMarkIn(output: string): string | undefined {
  return new RegExp(`^"${loadedId}([0-9a-f]{8})"`).exec(output)?.[1]
}

/** The part of an entry in the list of upstreams that is used. */
type Upstream = { readonly address: string; readonly num_requests: number }

function isUpstream(value: unknown): value is Upstream {
  return isRecord(value) && typeof value['address'] === 'string' && typeof value['num_requests'] === 'number'
}

/**
 * Returns the number of requests to all ports of an address, from the list of upstreams; undefined if it is none. An
 * address that is not in it has none.
 */
export function requestsUnderWay(address: string, output: string): number | undefined {
  return upstreamsIn(output)
    ?.filter(upstream => upstream.address.startsWith(`${address}:`))
    .reduce((sum, { num_requests }) => sum + num_requests, 0)
}

function upstreamsIn(output: string): readonly Upstream[] | undefined {
  const said = parsedJson(output)
  return Array.isArray(said) && said.every(isUpstream) ? said : undefined
}

/** Whether a file below the certificates is one, and not a key or a note; and whether Caddy signed it itself. */
export function certificateAt(path: string): { readonly isInternal: boolean } | undefined {
  const authority = /^certificates\/([^/]+)\/[^/]+\/[^/]+\.crt$/.exec(path)?.[1]
  return authority === undefined ? undefined : { isInternal: authority === 'local' }
}
