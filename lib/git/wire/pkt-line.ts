/** One packet of git's protocol: data, or one of its separators. */
export type Packet =
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'flush' | 'delimiter' }

/** Ends a request or an answer. */
export const flush = '0000'
/** Separates the parts of a request in protocol 2. */
export const delimiter = '0001'

/** Returns a line of a request as a packet. Adds the line break. */
export function packetLine(line: string): string {
  const length = Buffer.byteLength(line) + 5
  return `${length.toString(16).padStart(4, '0')}${line}\n`
}

/**
 * Yields the packets in a stream of bytes, however the stream is cut into chunks. If the stream ends within a packet or
 * contains something else, `incomplete` creates the error that is thrown.
 */
export async function* readPackets(
  chunks: AsyncIterable<Uint8Array>,
  incomplete: (what: string) => Error,
): AsyncIterable<Packet> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let at = 0
    while (rest.byteLength - at >= 4) {
      const length = lengthAt(rest, at)
      if (length === undefined) throw incomplete('answers something that is not of git')
      const next = at + Math.max(length, 4)
      if (next > rest.byteLength) break
      yield packetOf(length, rest.subarray(at + 4, next))
      at = next
    }
    rest = rest.subarray(at)
  }
  if (rest.byteLength > 0) throw incomplete('the answer breaks off')
}

/** Returns the text of a packet without its line break. */
export function packetText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\n$/, '')
}

/** Throws if the line is an error of the server. `refused` creates what is thrown, from the server's own words. */
export function demandNoError(line: string, refused: (reason: string) => Error): void {
  if (line.startsWith('ERR ')) throw refused(line.slice(4))
}

function lengthAt(bytes: Buffer, at: number): number | undefined {
  const digits = bytes.toString('latin1', at, at + 4)
  if (!/^[0-9a-f]{4}$/i.test(digits)) return undefined
  const length = Number.parseInt(digits, 16)
  return length === 3 ? undefined : length
}

/** Lengths below 4 are separators. In protocol 2, length 2 ends an answer as a flush does. */
function packetOf(length: number, bytes: Buffer): Packet {
  if (length >= 4) return { kind: 'data', bytes }
  return { kind: length === 1 ? 'delimiter' : 'flush' }
}
