import { createHash } from 'node:crypto'
import { createReadStream, fstatSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32, createInflate } from 'node:zlib'
import { gitLimits, tooLarge } from '../../limits.ts'
import { corrupt, objectName } from '../object.ts'
import { rememberObjects } from '../remember.ts'
import { restNowAndThen } from '../rest.ts'
import { type Base, type EntryHeader, inflate, readHeader } from './entry.ts'
import { readRange } from './file-range.ts'
import { formatIndex, type IndexEntry } from './pack-index.ts'
import { budgetOf, longestEntryOf, unfoldFrom } from './unfold.ts'

/**
 * Creates the index of the pack at `path`. Reads the pack piece by piece: objects above the limit get a name but are
 * never held in memory. Leaves out a delta whose result is such an object, or whose base is not in the pack. Fails with
 * `repository-corrupt` or `repository-too-large`. `where` is for messages.
 */
export async function indexPack(path: string, where: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { fd } = file
    const { size } = fstatSync(fd)
    const scanned = await scan({ path, where, fd }, size - 20)
    return formatIndex(await nameAll({ path, where, fd }, scanned), readRange(fd, size - 20, size))
  } finally {
    await file.close()
  }
}

type OpenPack = { readonly path: string; readonly where: string; readonly fd: number }

type Scanned = {
  readonly offset: number
  readonly end: number
  readonly crc: number
  readonly content:
    | { readonly kind: 'named'; readonly oid: string }
    | { readonly kind: 'delta'; readonly base: Base }
}

async function scan(pack: OpenPack, end: number): Promise<readonly Scanned[]> {
  const { where, fd } = pack
  const count = countOf(where, readRange(fd, 0, packHeader))
  const scanned: Scanned[] = []
  const spend = budgetOf(gitLimits.unfoldedBytes, where)
  const rest = restNowAndThen()
  let offset = packHeader
  while (scanned.length < count) {
    const start = readRange(fd, offset, Math.min(offset + firstRead, end))
    const header = readHeader(start, offset)
    if (header === undefined) throw corrupt(where, `has no object at ${offset}`)
    spend(header.size)
    const entry = await scanEntry(pack, { start, header, offset, end })
    scanned.push(entry)
    offset = entry.end
    await rest(header.size)
  }
  if (offset !== end) throw corrupt(where, `has something else after its ${count} objects`)
  return scanned
}

const packHeader = 12
const firstRead = 4096

function countOf(where: string, header: Buffer): number {
  if (
    header.byteLength < packHeader ||
    header.toString('latin1', 0, 4) !== 'PACK' ||
    header.readUInt32BE(4) !== 2
  )
    throw corrupt(where, 'is no git pack of version 2')
  const count = header.readUInt32BE(8)
  if (count > gitLimits.objects)
    throw tooLarge(where, `has ${count} objects; the limit is ${gitLimits.objects}`)
  return count
}

type Place = {
  readonly start: Buffer
  readonly header: EntryHeader
  readonly offset: number
  readonly end: number
}

async function scanEntry(pack: OpenPack, place: Place): Promise<Scanned> {
  const { where, fd } = pack
  const { header, offset, end } = place
  const { content, size, length } = header
  if (size > gitLimits.objectBytes) return scanLarge(pack, place)
  const longest = Math.min(longestEntryOf(size), end - offset)
  const entry = longest > place.start.byteLength ? readRange(fd, offset, offset + longest) : place.start
  const data = inflate(entry.subarray(length), size)
  if (data === undefined) throw corrupt(where, `has a damaged object at ${offset}`)
  const used = length + data.read
  return {
    offset,
    end: offset + used,
    crc: crc32(entry.subarray(0, used)),
    content:
      content.kind === 'delta' ? content : { kind: 'named', oid: objectName(content.type, data.content) },
  }
}

async function scanLarge(pack: OpenPack, { header, offset }: Place): Promise<Scanned> {
  const { path, where, fd } = pack
  const { content, size, length } = header
  const hash = createHash('sha1')
  if (content.kind === 'whole') hash.update(`${content.type} ${size}\0`)
  const source = createReadStream(path, { start: offset + length })
  const unfolding = createInflate()
  source.on('error', error => unfolding.destroy(error))
  let bytes = 0
  try {
    for await (const chunk of source.pipe(unfolding)) {
      bytes += chunk.byteLength
      if (bytes > size) break
      hash.update(chunk)
    }
  } catch (error) {
    throw corrupt(where, `has a damaged object at ${offset}`, error)
  } finally {
    source.destroy()
  }
  if (bytes !== size) throw corrupt(where, `has a damaged object at ${offset}`)
  const end = offset + length + unfolding.bytesWritten
  return {
    offset,
    end,
    crc: crcOf(fd, offset, end),
    content: content.kind === 'delta' ? content : { kind: 'named', oid: hash.digest('hex') },
  }
}

function crcOf(fd: number, start: number, end: number): number {
  let crc = 0
  for (let at = start; at < end; at += crcPiece)
    crc = crc32(readRange(fd, at, Math.min(at + crcPiece, end)), crc)
  return crc
}

const crcPiece = 1024 * 1024

/**
 * Computes the names of the deltas as well: each as soon as its base has a name, and the deltas on it right after it.
 */
async function nameAll({ where, fd }: OpenPack, scanned: readonly Scanned[]): Promise<readonly IndexEntry[]> {
  const ends = new Map(scanned.map(({ offset, end }) => [offset, end]))
  const offsets = new Map<string, number>()
  const waiting = new Map<string, Scanned[]>()
  const ready: IndexEntry[] = []
  const named: IndexEntry[] = []
  const pack = { where, endOf: (offset: number) => ends.get(offset) ?? 0, find: offsets.get.bind(offsets) }
  const readAt = unfoldFrom(pack, rememberObjects())
  const spend = budgetOf(gitLimits.unfoldedBytes, where)
  const rest = restNowAndThen()

  for (const entry of scanned) {
    const { offset, crc, content } = entry
    if (content.kind === 'named') ready.push({ oid: content.oid, offset, crc })
    else wait(keyOf(content.base), entry)
  }
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    named.push(next)
    offsets.set(next.oid, next.offset)
    for (const { offset, crc } of [...take(`@${next.offset}`), ...take(next.oid)]) {
      let made = 0
      const object = readAt(fd, offset, bytes => {
        made += bytes
        spend(bytes)
      })
      if (object.type !== 'oversized')
        ready.push({ oid: objectName(object.type, object.content), offset, crc })
      await rest(made)
    }
  }
  return named

  function wait(base: string, entry: Scanned): void {
    const others = waiting.get(base)
    if (others === undefined) waiting.set(base, [entry])
    else others.push(entry)
  }

  function take(base: string): readonly Scanned[] {
    const entries = waiting.get(base) ?? []
    waiting.delete(base)
    return entries
  }
}

function keyOf(base: Base): string {
  return base.by === 'offset' ? `@${base.offset}` : base.oid
}
