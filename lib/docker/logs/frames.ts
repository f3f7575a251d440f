import type { LogLine } from '../../state/running/logged.ts'

/** What a container wrote at once. */
export type Frame = { readonly stream: LogLine['stream']; readonly bytes: Buffer }

const headerBytes = 8
/** The stream on which the engine itself says why it cannot go on. */
const engineStream = 3

/**
 * Yields what the engine sends of a container without a terminal, frame by frame, wherever the chunks begin and end.
 * Throws the engine's words if it says that it cannot read on.
 */
export async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
      const [kind, bytes] = [rest.readUInt8(0), rest.subarray(headerBytes, end)]
      if (kind === engineStream) throw new Error(bytes.toString().trim())
      yield { stream: kind === 2 ? 'stderr' : 'stdout', bytes }
      rest = rest.subarray(end)
    }
  }
}

/** Returns where the first frame ends: a header of a byte for the stream, three zero bytes, four for the length. */
function endOf(bytes: Buffer): number {
  return bytes.length < headerBytes ? Number.POSITIVE_INFINITY : headerBytes + bytes.readUInt32BE(4)
}
