import { createHash } from 'node:crypto'
import { byText } from '../../../text/order.ts'
import { corrupt } from '../object.ts'

/** The places of the objects in one pack. */
export type PackIndex = {
  readonly count: number
  /** The SHA-1 at the end of the pack, in hex. */
  readonly packChecksum: string
  find(oid: string): number | undefined
  /** Returns the names that begin with these digits, two at least. */
  startingWith(prefix: string): readonly string[]
  /** Returns where the entry at this offset ends. */
  endOf(offset: number): number
}

export type IndexEntry = { readonly oid: string; readonly offset: number; readonly crc: number }

/** Reads an index file (version 2) for a pack of this size. Fails with `repository-corrupt`. */
export function parseIndex(bytes: Buffer, packBytes: number, where: string): PackIndex {
  if (bytes.byteLength < fixedBytes || bytes.readUInt32BE(0) !== magic || bytes.readUInt32BE(4) !== 2)
    throw corrupt(where, 'is no pack index of version 2')
  if (!bytes.subarray(-20).equals(createHash('sha1').update(bytes.subarray(0, -20)).digest()))
    throw corrupt(where, 'does not have its own checksum')
  const count = bytes.readUInt32BE(namesAt - 4)
  const offsetsAt = namesAt + count * 24
  const largeAt = offsetsAt + count * 4
  if (bytes.byteLength < largeAt + 40) throw corrupt(where, 'is shorter than its table')
  for (let fan = 12; fan < namesAt; fan += 4) {
    if (bytes.readUInt32BE(fan) < bytes.readUInt32BE(fan - 4)) throw corrupt(where, 'counts backwards')
  }

  function offsetAt(index: number): number {
    const small = bytes.readUInt32BE(offsetsAt + index * 4)
    return small < large ? small : Number(bytes.readBigUInt64BE(largeAt + (small - large) * 8))
  }

  const sorted = Float64Array.from({ length: count }, (_, index) => offsetAt(index)).sort()
  return {
    count,
    packChecksum: bytes.toString('hex', bytes.byteLength - 40, bytes.byteLength - 20),
    find(oid) {
      const name = Buffer.from(oid, 'hex')
      const first = name[0] ?? 0
      let low = first === 0 ? 0 : bytes.readUInt32BE(8 + (first - 1) * 4)
      let high = bytes.readUInt32BE(8 + first * 4)
      while (low < high) {
        const middle = (low + high) >>> 1
        const at = namesAt + middle * 20
        const order = bytes.compare(name, 0, 20, at, at + 20)
        if (order === 0) return offsetAt(middle)
        if (order < 0) low = middle + 1
        else high = middle
      }
      return undefined
    },
    startingWith(prefix) {
      const first = Number.parseInt(prefix.slice(0, 2), 16)
      const from = first === 0 ? 0 : bytes.readUInt32BE(8 + (first - 1) * 4)
      const names: string[] = []
      for (let index = from; index < bytes.readUInt32BE(8 + first * 4); index += 1) {
        const name = bytes.toString('hex', namesAt + index * 20, namesAt + index * 20 + 20)
        if (name.startsWith(prefix)) names.push(name)
      }
      return names
    },
    endOf: offset => firstAbove(sorted, offset) ?? packBytes - 20,
  }
}

/** Formats an index file (version 2), for offsets below 2 GiB only. */
export function formatIndex(entries: readonly IndexEntry[], packChecksum: Buffer): Buffer {
  const sorted = [...entries].sort(byText(({ oid }) => oid))
  const count = sorted.length
  const bytes = Buffer.alloc(namesAt + count * 28 + 40)
  bytes.writeUInt32BE(magic, 0)
  bytes.writeUInt32BE(2, 4)
  sorted.forEach(({ oid, offset, crc }, index) => {
    bytes.write(oid, namesAt + index * 20, 'hex')
    bytes.writeUInt32BE(crc, namesAt + count * 20 + index * 4)
    bytes.writeUInt32BE(offset, namesAt + count * 24 + index * 4)
    const fan = 8 + (bytes[namesAt + index * 20] ?? 0) * 4
    bytes.writeUInt32BE(bytes.readUInt32BE(fan) + 1, fan)
  })
  for (let fan = 12; fan < namesAt; fan += 4)
    bytes.writeUInt32BE(bytes.readUInt32BE(fan) + bytes.readUInt32BE(fan - 4), fan)
  packChecksum.copy(bytes, bytes.byteLength - 40)
  createHash('sha1')
    .update(bytes.subarray(0, -20))
    .digest()
    .copy(bytes, bytes.byteLength - 20)
  return bytes
}

const magic = 0xff744f63
const namesAt = 8 + 256 * 4
const fixedBytes = namesAt + 40
/** From this value on, an offset is a position in the table of large offsets. */
const large = 0x80000000

function firstAbove(sorted: Float64Array, value: number): number | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return sorted[low]
}
