import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { NewObject, ObjectType } from '../objects/object.ts'

/** What an object consists of. */
type Content = Pick<NewObject, 'type' | 'content'>

/** Returns a pack of these objects, each whole, as a server takes it. */
export function packOf(objects: readonly NewObject[]): Buffer {
  const body = Buffer.concat([packHead(objects.length), ...objects.map(entryOf)])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

/** Yields a pack of so many objects piece by piece, so that it need not be in memory as a whole. */
export async function* packPieces(count: number, objects: AsyncIterable<Content>): AsyncGenerator<Buffer> {
  const hash = createHash('sha1')
  const told = (piece: Buffer) => {
    hash.update(piece)
    return piece
  }
  yield told(packHead(count))
  for await (const object of objects) yield told(entryOf(object))
  yield hash.digest()
}

function packHead(count: number): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  return head
}

function entryOf({ type, content }: Content): Buffer {
  return Buffer.concat([entryHead(codes[type], content.byteLength), deflateSync(content)])
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
