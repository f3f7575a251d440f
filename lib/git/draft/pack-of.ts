import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { NewObject, ObjectType } from '../objects/object.ts'

/** Returns a pack of these objects, each whole, as a server takes it. */
export function packOf(objects: readonly NewObject[]): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects.length, 8)
  const entries = objects.flatMap(({ type, content }) => [
    entryHead(codes[type], content.byteLength),
    deflateSync(content),
  ])
  const body = Buffer.concat([head, ...entries])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

const codes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** Type and size: four bits of the size in the first byte, and seven in each that follows. */
function entryHead(code: number, size: number): Buffer {
  const bytes = [(code << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 127)
  }
  return Buffer.from(bytes)
}
