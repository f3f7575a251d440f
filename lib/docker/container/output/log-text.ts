import { StringDecoder } from 'node:string_decoder'
import { engineStream, headerBytes } from './frame.ts'

/** What a container or a program wrote, of which more may come. */
export type LogText = {
  /** Takes what the engine sends next, wherever it begins and ends. */
  add(chunk: Buffer): void
  /** Returns all of it, once no more comes. */
  text(): string
  /** Whether the engine said that it cannot read on: there may be more. */
  isBroken(): boolean
}

/**
 * Reads the text out of the engine's frames: a byte for the stream, three zero bytes, four for the length. The output of a
 * terminal has no frames, and ends its lines in its own way. A frame may end within a character, and the text of a frame
 * that is cut off is read as far as it goes.
 */
export function createLogText(): LogText {
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() }
  const parts: string[] = []
  let decoder = decoders.stdout
  let hasFrames: boolean | undefined
  let unread: Buffer = Buffer.alloc(0)
  let left = 0
  /** What the engine says of itself is no part of the text. */
  let isOfEngine = false
  let isBroken = false
  /** Returns the beginning of a header, of which the rest is to come. */
  const frames = (bytes: Buffer): Buffer => {
    for (let at = 0; at < bytes.length; ) {
      if (left === 0) {
        if (at + headerBytes > bytes.length) return bytes.subarray(at)
        const stream = bytes.readUInt8(at)
        isOfEngine = stream === engineStream
        isBroken ||= isOfEngine
        decoder = stream === 2 ? decoders.stderr : decoders.stdout
        left = bytes.readUInt32BE(at + 4)
        at += headerBytes
      }
      const end = Math.min(at + left, bytes.length)
      if (!isOfEngine) parts.push(decoder.write(bytes.subarray(at, end)))
      left -= end - at
      at = end
    }
    return Buffer.alloc(0)
  }
  return {
    add(chunk) {
      const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
      unread = Buffer.alloc(0)
      hasFrames ??= bytes.length < headerBytes ? undefined : isFramed(bytes)
      if (hasFrames === undefined) unread = bytes
      else if (hasFrames) unread = frames(bytes)
      else parts.push(decoder.write(bytes))
    },
    text() {
      if (hasFrames) return [...parts, decoders.stdout.end(), decoders.stderr.end()].join('')
      return [...parts, hasFrames === undefined ? unread.toString() : '', decoder.end()]
        .join('')
        .replaceAll('\r\n', '\n')
    },
    isBroken: () => isBroken,
  }
}

function isFramed(log: Buffer): boolean {
  return log.readUInt8(0) <= engineStream && log.readUIntBE(1, 3) === 0
}
