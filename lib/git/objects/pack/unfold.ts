import { gitLimits, tooLarge } from '../../limits.ts'
import { corrupt, type GitObject } from '../object.ts'
import type { ObjectMemory } from '../remember.ts'
import { applyDelta, deltaSize } from './delta.ts'
import { type Base, type EntryHeader, inflate, longestHeader, readHeader } from './entry.ts'
import { readRange } from './file-range.ts'

/** What has to be known of a pack to read an object in it. */
export type PackMap = {
  /** The name of the pack in messages, which no other pack of the same memory has. */
  readonly where: string
  /** Returns where the entry at this offset ends. */
  endOf(offset: number): number
  /** Returns the offset of an object in this pack. Bases of deltas are looked for nowhere else. */
  find(oid: string): number | undefined
}

/**
 * Reads the object at an offset of the open pack, and applies its deltas. Calls `spend` with the number of bytes before
 * they are created; `spend` throws if they are too many. Holds at most three objects besides the memory. Fails with
 * `repository-corrupt`.
 */
export type ReadAt = (fd: number, offset: number, spend: (bytes: number) => void) => GitObject

/** Returns a reader of one pack. It remembers deltas and their bases, because similar files form chains of them. */
export function unfoldFrom(pack: PackMap, memory: ObjectMemory): ReadAt {
  const { where } = pack

  return (fd, offset, spend) => {
    const deltas: Place[] = []
    let at = offset
    let object = memory.find(keyOf(at))
    while (object === undefined) {
      const place = placeAt(fd, at)
      const { content, size } = place.header
      if (size > gitLimits.objectBytes) return { type: 'oversized', size }
      if (content.kind === 'whole') {
        object = { type: content.type, content: dataOf(fd, place, spend) }
        if (deltas.length > 0) memory.add(keyOf(at), object)
      } else {
        if (deltas.length === deepestChain)
          throw corrupt(where, `has more than ${deepestChain} deltas on one another`)
        deltas.push(place)
        at = baseOf(content.base)
        object = memory.find(keyOf(at))
      }
    }
    for (const place of deltas.reverse()) {
      if (object.type === 'oversized') return object
      object = applied(object, dataOf(fd, place, spend), spend)
      memory.add(keyOf(place.offset), object)
    }
    return object
  }

  function keyOf(offset: number): string {
    return `${where}@${offset}`
  }

  function placeAt(fd: number, offset: number): Place {
    const end = pack.endOf(offset)
    const header = readHeader(readRange(fd, offset, Math.min(end, offset + longestHeader)), offset)
    if (header === undefined) throw corrupt(where, `has no object at ${offset}`)
    return { offset, end, header }
  }

  function dataOf(fd: number, { offset, end, header }: Place, spend: (bytes: number) => void): Buffer {
    const { size, length } = header
    spend(size)
    const deflated = readRange(fd, offset + length, Math.min(end, offset + longestEntryOf(size)))
    const data = inflate(deflated, size)?.content
    if (data === undefined) throw corrupt(where, `has a damaged object at ${offset}`)
    return data
  }

  function baseOf(base: Base): number {
    const offset = base.by === 'offset' ? base.offset : pack.find(base.oid)
    if (offset === undefined) throw corrupt(where, 'has a delta whose base is not in it')
    return offset
  }

  function applied(base: WholeObject, delta: Buffer, spend: (bytes: number) => void): GitObject {
    const size = deltaSize(delta)
    if (size !== undefined && size > gitLimits.objectBytes) return { type: 'oversized', size }
    spend(size ?? 0)
    const content = applyDelta(base.content, delta)
    if (content === undefined) throw corrupt(where, 'has a delta that does not fit its base')
    return { type: base.type, content }
  }
}

/** Returns a function for `spend`, which counts bytes and fails with `repository-too-large` above the limit. */
export function budgetOf(limit: number, where: string): (bytes: number) => void {
  let spent = 0
  return bytes => {
    spent += bytes
    if (spent > limit) throw tooLarge(where, `expands to more than ${limit} bytes`)
  }
}

/** Returns the most bytes that an entry with this size of data can take: deflating adds a few bytes per 16 KiB. */
export function longestEntryOf(size: number): number {
  return longestHeader + size + (size >> 10) + 64
}

type Place = { readonly offset: number; readonly end: number; readonly header: EntryHeader }

type WholeObject = Exclude<GitObject, { type: 'oversized' }>

/** The limit that git has. */
const deepestChain = 4095
