import { inflateSync } from 'node:zlib'
import type { ObjectType } from '../object.ts'

/** The form of one object in a pack: whole, or as a delta to another one. */
export type EntryHeader = {
  readonly content:
    | { readonly kind: 'whole'; readonly type: ObjectType }
    | { readonly kind: 'delta'; readonly base: Base }
  /** The size of the inflated data. For a delta, this is the delta itself and not its result. */
  readonly size: number
  /** The bytes before the deflated data. */
  readonly length: number
}

/** The base of a delta: its offset in the same pack, or its name. */
export type Base =
  | { readonly by: 'offset'; readonly offset: number }
  | { readonly by: 'name'; readonly oid: string }

/** No header is longer than this. */
export const longestHeader = 32

/** Reads the header of an entry at `offset` in the pack; undefined if the bytes are no header. */
export function readHeader(bytes: Buffer, offset: number): EntryHeader | undefined {
  const first = bytes[0] ?? 0
  let size = first & 0x0f
  let length = 1
  for (let factor = 16, byte = first; byte & 0x80; factor *= 128, length += 1) {
    if (length > 8 || length >= bytes.byteLength) return undefined
    byte = bytes[length] ?? 0
    size += (byte & 0x7f) * factor
  }
  const code = (first >> 4) & 7
  const type = wholeTypes[code]
  if (type !== undefined) return { content: { kind: 'whole', type }, size, length }
  if (code === offsetDelta) return withOffsetBase(bytes, offset, size, length)
  if (code !== nameDelta || bytes.byteLength < length + 20) return undefined
  const oid = bytes.toString('hex', length, length + 20)
  return { content: { kind: 'delta', base: { by: 'name', oid } }, size, length: length + 20 }
}

/**
 * Inflates the data of one entry; undefined if it is damaged or has another size. `read`: the deflated bytes that were
 * used.
 */
export function inflate(deflated: Buffer, size: number): { content: Buffer; read: number } | undefined {
  const chunkSize = Math.min(Math.max(size + 1, 64), 64 * 1024)
  try {
    const result: unknown = inflateSync(deflated, { chunkSize, info: true, maxOutputLength: size + 1 })
    if (!isInflated(result) || result.buffer.byteLength !== size) return undefined
    return { content: result.buffer, read: result.engine.bytesWritten }
  } catch {
    return undefined
  }
}

const wholeTypes: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const offsetDelta = 6
const nameDelta = 7

function withOffsetBase(bytes: Buffer, offset: number, size: number, start: number): EntryHeader | undefined {
  let length = start
  let byte = bytes[length++] ?? 0
  let distance = byte & 0x7f
  while (byte & 0x80) {
    if (length >= bytes.byteLength) return undefined
    byte = bytes[length++] ?? 0
    distance = (distance + 1) * 128 + (byte & 0x7f)
  }
  if (distance <= 0 || distance > offset) return undefined
  return { content: { kind: 'delta', base: { by: 'offset', offset: offset - distance } }, size, length }
}

/** What zlib returns with `info`. Its types do not include this. */
type Inflated = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }

function isInflated(value: unknown): value is Inflated {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value
}
