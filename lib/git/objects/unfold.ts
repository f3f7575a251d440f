import { limits } from '../limits.ts'
import { applyDelta, deltaSize } from './delta.ts'
import { type Base, type EntryHeader, inflate, longestHeader, readHeader } from './entry.ts'
import { readRange } from './file-range.ts'
import { corrupt, type GitObject } from './object.ts'

/** What must be known of a pack to read an object in it. */
export type PackMap = {
  /** What messages call it. */
  readonly where: string
  /** Where the entry at this offset ends. */
  endOf(offset: number): number
  /** Where an object of this pack is. */
  find(oid: string): number | undefined
  /** An object of another pack; git itself writes none that need it. */
  elsewhere(oid: string): GitObject | undefined
}

/** Reads the object at an offset of the open pack, its deltas applied; fails with `repository-corrupt`. */
export type ReadAt = (fd: number, offset: number) => GitObject

/** A reader of one pack that remembers some megabytes of what it read: similar files stand as chains of deltas. */
export function unfoldFrom(pack: PackMap): ReadAt {
  const remembered = rememberObjects()

  function readAt(fd: number, offset: number, depth: number): GitObject {
    const known = remembered.find(offset)
    if (known !== undefined) return known
    if (depth > deepestChain) throw corrupt(pack.where, `has more than ${deepestChain} deltas on one another`)
    const entry = readRange(fd, offset, Math.min(pack.endOf(offset), offset + longestEntry))
    const header = readHeader(entry, offset)
    if (header === undefined) throw corrupt(pack.where, `has no object at ${offset}`)
    if (header.size > limits.objectBytes) return { type: 'oversized', size: header.size }
    const data = inflate(entry.subarray(header.length), header.size)?.content
    if (data === undefined) throw corrupt(pack.where, `has a damaged object at ${offset}`)
    const object = unfold(fd, header, data, depth)
    remembered.add(offset, object)
    return object
  }

  function unfold(fd: number, { content }: EntryHeader, data: Buffer, depth: number): GitObject {
    if (content.kind === 'whole') return { type: content.type, content: data }
    const size = deltaSize(data)
    if (size > limits.objectBytes) return { type: 'oversized', size }
    const base = readBase(fd, content.base, depth + 1)
    if (base.type === 'oversized') return base
    const result = applyDelta(base.content, data)
    if (result === undefined) throw corrupt(pack.where, 'has a delta that does not fit its base')
    return { type: base.type, content: result }
  }

  function readBase(fd: number, base: Base, depth: number): GitObject {
    if (base.by === 'offset') return readAt(fd, base.offset, depth)
    const offset = pack.find(base.oid)
    if (offset !== undefined) return readAt(fd, offset, depth)
    const object = pack.elsewhere(base.oid)
    if (object === undefined) throw corrupt(pack.where, `lacks the base ${base.oid}`)
    return object
  }

  return (fd, offset) => readAt(fd, offset, 0)
}

/** The most bytes an entry with so many bytes of data can take: deflating adds a few per 16 KiB. */
export function longestEntryOf(size: number): number {
  return longestHeader + size + (size >> 10) + 64
}

const deepestChain = 4096
const longestEntry = longestEntryOf(limits.objectBytes)
const rememberedBytes = 8 * 1024 * 1024

type Remembered = {
  find(offset: number): GitObject | undefined
  add(offset: number, object: GitObject): void
}

function rememberObjects(): Remembered {
  let bytes = 0
  const objects = new Map<number, GitObject>()
  return {
    find: offset => objects.get(offset),
    add(offset, object) {
      if (object.type === 'oversized' || object.content.byteLength > rememberedBytes / 8) return
      if (bytes > rememberedBytes) {
        objects.clear()
        bytes = 0
      }
      objects.set(offset, object)
      bytes += object.content.byteLength
    },
  }
}
