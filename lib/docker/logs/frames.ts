import type { LogLine } from '../../state/running/logged.ts'
import { mostFrameBytes, tooMuch } from '../api/connection/size-limits.ts'
import { engineStream, headerBytes } from '../container/output/frame.ts'

/** What a container wrote at once. */
export type Frame = { readonly stream: LogLine['stream']; readonly bytes: Buffer }

/**
 * Yields what the engine sends of a container without a terminal, frame by frame, wherever the chunks begin and end.
 * Throws the engine's words if it says that it cannot read on, and if a frame is said to be longer than any is.
 */
export async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let parts: Buffer[] = []
  let bytes = 0
  let wanted = headerBytes
  for await (const chunk of chunks) {
    parts.push(chunk)
    bytes += chunk.length
    if (bytes < wanted) continue
    let rest = parts.length === 1 ? chunk : Buffer.concat(parts)
    for (wanted = endOf(rest); wanted <= rest.length; wanted = endOf(rest)) {
      const [kind, said] = [rest.readUInt8(0), rest.subarray(headerBytes, wanted)]
      if (kind === engineStream) throw new Error(said.toString().trim())
      yield { stream: kind === 2 ? 'stderr' : 'stdout', bytes: said }
      rest = rest.subarray(wanted)
    }
    parts = [rest]
    bytes = rest.length
  }
}

/** Returns where the first frame ends, or where its header does while that is not there. */
function endOf(bytes: Buffer): number {
  if (bytes.length < headerBytes) return headerBytes
  const length = bytes.readUInt32BE(4)
  if (length > mostFrameBytes) throw tooMuch('a frame of the log', mostFrameBytes, 'bytes')
  return headerBytes + length
}
