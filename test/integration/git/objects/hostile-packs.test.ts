import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { Failure } from '../../../../lib/errors.ts'
import type { GitObject } from '../../../../lib/git/objects/object.ts'
import { indexPack } from '../../../../lib/git/objects/pack/index-pack.ts'
import { openPack } from '../../../../lib/git/objects/pack/pack.ts'
import { formatIndex } from '../../../../lib/git/objects/pack/pack-index.ts'
import { rememberObjects } from '../../../../lib/git/objects/remember.ts'
import { createRepository, type Repository } from '../../../support/git/repository.ts'

const mebi = 1024 * 1024

describe('a pack from a stranger', () => {
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tallyman-packs-'))
  })

  afterEach(() => rm(directory, { recursive: true, force: true }))

  /** Writes a pack, with the index we make of it unless one is given, and reads objects from it. */
  async function read(pack: Buffer, oids: readonly string[], index?: Buffer): Promise<readonly Result[]> {
    const path = join(directory, randomBytes(6).toString('hex'))
    try {
      await writeFile(`${path}.pack`, pack)
      await writeFile(`${path}.idx`, index ?? (await indexPack(`${path}.pack`, 'here')))
      const objects = openPack(`${path}.idx`, rememberObjects())
      return oids.map(oid => outcomeOf(() => objects.find(oid)))
    } catch (error) {
      return oids.map(() => codeOf(error))
    } finally {
      await Promise.all([rm(`${path}.pack`, { force: true }), rm(`${path}.idx`, { force: true })])
    }
  }

  /** Of an object that cannot be in the pack: what the whole pack is refused with, if it is. */
  async function refusal(pack: Buffer): Promise<Result | undefined> {
    return (await read(pack, ['0'.repeat(40)]))[0]
  }

  describe('whose bytes were changed on the way', () => {
    let repository: Repository
    let packs: readonly Buffer[]
    let objects: ReadonlyMap<string, Buffer>

    before(async () => {
      repository = await createRepository()
      const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n')
      const files = Array.from({ length: 8 }, (_, index) => [`d/f${index}.json`, lines(100 + index)])
      const commit = await repository.commit({ ...Object.fromEntries(files), 'a.json': '1' })
      const pack = (...options: readonly string[]) =>
        execFileSync('git', ['pack-objects', '--revs', '--stdout', '-q', ...options], {
          cwd: repository.bare,
          input: commit,
        })
      packs = [pack('--delta-base-offset'), pack()]
      const listed = execFileSync('git', ['cat-file', '--batch-check', '--batch-all-objects'], {
        cwd: repository.bare,
        encoding: 'utf8',
      })
      const named = [...listed.matchAll(/^(\w+) (\w+)/gm)].map(([, oid = '', type = '']) => [oid, type])
      const content = (oid: string, type: string) =>
        execFileSync('git', ['cat-file', type, oid], { cwd: repository.bare })
      objects = new Map(named.map(([oid = '', type = '']) => [oid, content(oid, type)]))
    })

    after(() => repository[Symbol.asyncDispose]())

    /** Whether every object is as it should be, missing, or refused. */
    function isRightOrRefused(results: readonly Result[]): boolean {
      const contents = [...objects.values()]
      return results.every((result, at) => typeof result === 'string' || contents[at]?.equals(result))
    }

    it('is read as it was when nothing was changed', async () => {
      for (const pack of packs)
        expect(await read(pack, [...objects.keys()])).to.deep.equal([...objects.values()])
    })

    it('G24 gives the right bytes or a failure, whatever was changed, cut off or added', async () => {
      const changes = fc.record({
        pack: fc.nat({ max: 1 }),
        flips: fc.array(fc.record({ at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) }), {
          maxLength: 4,
        }),
        cut: fc.option(fc.nat({ max: 400 }), { freq: 3 }),
        garbage: fc.uint8Array({ maxLength: 40 }),
      })
      await fc.assert(
        fc.asyncProperty(changes, async ({ pack, flips, cut, garbage }) => {
          const bytes = flipped(packs[pack] ?? Buffer.alloc(0), flips, 0)
          const kept = bytes.subarray(0, bytes.byteLength - 20 - (cut ?? 0))
          return isRightOrRefused(await read(sealed(kept, garbage), [...objects.keys()]))
        }),
        { numRuns: 150 },
      )
    })

    it('G24 gives the right bytes or a failure, whatever its index says', async () => {
      const [pack = Buffer.alloc(0)] = packs
      await writeFile(join(directory, 'right.pack'), pack)
      const index = await indexPack(join(directory, 'right.pack'), 'here')
      const flips = fc.array(fc.record({ at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) }), {
        minLength: 1,
        maxLength: 4,
      })
      await fc.assert(
        fc.asyncProperty(flips, fc.boolean(), async (some, inFanOut) => {
          const within = inFanOut ? 8 + 1024 : index.byteLength - 20
          const changed = flipped(index.subarray(0, within), some, 8)
          const damaged = sealed(Buffer.concat([changed, index.subarray(within, -20)]))
          return isRightOrRefused(await read(pack, [...objects.keys()], damaged))
        }),
        { numRuns: 150 },
      )
    })
  })

  it('G24 is refused or read, never fatal, whatever stands on what', async () => {
    const base = fc.oneof(fc.nat({ max: 8 }), fc.integer({ min: -3, max: 400 }))
    const entry = fc.oneof(
      fc.record({ kind: fc.constant('blob' as const), size: fc.option(fc.nat({ max: 2 ** 31 })) }),
      fc.record({
        kind: fc.constantFrom('offset' as const, 'name' as const),
        base,
        delta: fc.oneof(fc.constant(copyAll), fc.uint8Array({ maxLength: 12 })),
      }),
      fc.record({ kind: fc.constant('raw' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 9 }), async entries => {
        let at = 12
        const offsets: number[] = []
        const parts = entries.map((one, index) => {
          const bytes = partOf(one, index, at, offsets)
          offsets.push(at)
          at += bytes.byteLength
          return bytes
        })
        const oids = entries.map((_, index) => nameOfBlob(contentOf(index)))
        const results = await read(packOf(parts), oids)
        return results.every((one, index) => typeof one === 'string' || one.equals(contentOf(index)))
      }),
      { numRuns: 200 },
    )
  })

  it('G24 with deltas in a circle is refused when its index claims both', async () => {
    const first = '1'.repeat(40)
    const second = '2'.repeat(40)
    const parts = [nameDelta(second, copyAll), nameDelta(first, copyAll)]
    const pack = packOf(parts)
    const offsets = [12, 12 + (parts[0]?.byteLength ?? 0)]
    const entries = [first, second].map((oid, index) => ({ oid, offset: offsets[index] ?? 0, crc: 0 }))
    const results = await read(pack, [first, second], formatIndex(entries, pack.subarray(-20)))
    expect(results).to.deep.equal(['repository-corrupt', 'repository-corrupt'])
    expect(await read(pack, [first, second])).to.deep.equal(['missing', 'missing'])
  })

  it('G24 may have 4,095 deltas on one another, and not one more', async () => {
    const chain = (length: number) => {
      const parts = [wholeBlob(contentOf(0))]
      let distance = parts[0]?.byteLength ?? 0
      for (let made = 0; made < length; made += 1) {
        const part = offsetDelta(distance, replaceFirst(made))
        parts.push(part)
        distance = part.byteLength
      }
      return packOf(parts)
    }
    const last = (length: number) => {
      const content = Buffer.from(contentOf(0))
      content.writeUInt32BE(length - 1)
      return nameOfBlob(content)
    }
    const pack = chain(4096)
    await writeFile(join(directory, 'chain.pack'), pack)
    const index = await indexPack(join(directory, 'chain.pack'), 'here')
    const results = await read(pack, [last(4096), last(4095)], index)
    expect(results[0]).to.equal('repository-corrupt')
    expect(results[1]).to.be.an.instanceOf(Buffer)
  })

  it('G24 is named in the time its size takes, though every base comes after its deltas', async () => {
    const content = (at: number) => {
      const bytes = Buffer.from(contentOf(0))
      if (at >= 0) bytes.writeUInt32BE(at)
      return bytes
    }
    const deltas = Array.from({ length: 20_000 }, (_, at) =>
      nameDelta(nameOfBlob(content(at - 1)), replaceFirst(at)),
    )
    const pack = packOf([...deltas.reverse(), wholeBlob(content(-1))])
    expect((await read(pack, [nameOfBlob(content(4000))]))[0]).to.deep.equal(content(4000))
  })

  describe('that unfolds to far more than it is', () => {
    const zeros = Buffer.alloc(8 * mebi)
    const huge = Buffer.alloc(150 * mebi)

    async function growthOf(work: () => Promise<unknown>): Promise<number> {
      const before = process.resourceUsage().maxRSS
      await work()
      return (process.resourceUsage().maxRSS - before) / 1024
    }

    it('G24 is refused when an object is larger than it says', async () => {
      const deflated = deflateSync(huge)
      const grown = await growthOf(async () => {
        const part = Buffer.concat([header(3, 100), deflated])
        expect(await refusal(packOf([part]))).to.equal('repository-corrupt')
        const large = Buffer.concat([header(3, 9 * mebi), deflated])
        expect(await refusal(packOf([large]))).to.equal('repository-corrupt')
      })
      expect(grown).to.be.lessThan(100)
    })

    it('G24 only names an object that is larger than we hold', async () => {
      const name = createHash('sha1').update(`blob ${huge.byteLength}\0`).update(huge).digest('hex')
      const pack = packOf([Buffer.concat([header(3, huge.byteLength), deflateSync(huge)])])
      const grown = await growthOf(async () => expect(await read(pack, [name])).to.deep.equal(['oversized']))
      expect(grown).to.be.lessThan(100)
    })

    it('G24 is refused as soon as its objects say more than a gibibyte', async () => {
      expect(await refusal(packOf([Buffer.concat([header(3, 2 ** 40), deflateSync(zeros)])]))).to.equal(
        'repository-too-large',
      )
      const part = wholeBlob(zeros)
      expect(await refusal(packOf(Array.from({ length: 150 }, () => part)))).to.equal('repository-too-large')
    })

    it('G24 is refused when small deltas make more than a gibibyte', async () => {
      const base = wholeBlob(zeros)
      const parts = [base]
      let distance = base.byteLength
      for (let made = 0; made < 300; made += 1) {
        const part = offsetDelta(distance, replaceFirst(made, zeros.byteLength))
        parts.push(part)
        distance = part.byteLength
      }
      const grown = await growthOf(async () =>
        expect(await refusal(packOf(parts))).to.equal('repository-too-large'),
      )
      expect(grown).to.be.lessThan(200)
    })
  })

  it('G24 says how many objects it has, and no more are read', async () => {
    expect(await refusal(packOf([], 2 ** 31))).to.equal('repository-too-large')
    expect(await refusal(packOf([wholeBlob(contentOf(1))], 2))).to.equal('repository-corrupt')
    expect(await refusal(packOf([wholeBlob(contentOf(1))], 0))).to.equal('repository-corrupt')
    expect(await refusal(Buffer.alloc(0))).to.equal('repository-corrupt')
    expect(await refusal(Buffer.from('PACK'))).to.equal('repository-corrupt')
  })
})

/** An object's bytes, or the code or word for why there are none. */
type Result = Buffer | string

function outcomeOf(find: () => GitObject | undefined): Result {
  try {
    const object = find()
    if (object === undefined) return 'missing'
    return object.type === 'oversized' ? object.type : object.content
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Failure) return error.code
  throw error
}

type Flip = { readonly at: number; readonly mask: number }

function flipped(bytes: Buffer, flips: readonly Flip[], from: number): Buffer {
  const copy = Buffer.from(bytes)
  for (const { at, mask } of flips) {
    const place = from + (at % (copy.byteLength - from))
    copy[place] = (copy[place] ?? 0) ^ mask
  }
  return copy
}

/** With the checksum that it should have. */
function sealed(...parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(parts)
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()])
}

function packOf(parts: readonly Buffer[], count = parts.length): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  return sealed(head, ...parts)
}

/** Type and size of an entry, four bits and then seven by seven. */
function header(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes)
}

function wholeBlob(content: Buffer): Buffer {
  return Buffer.concat([header(3, content.byteLength), deflateSync(content)])
}

function nameDelta(oid: string, delta: Uint8Array): Buffer {
  return Buffer.concat([header(7, delta.byteLength), Buffer.from(oid, 'hex'), deflateSync(delta)])
}

function offsetDelta(distance: number, delta: Uint8Array): Buffer {
  const bytes = [distance % 128]
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor((rest - 1) / 128))
    bytes.unshift(0x80 | ((rest - 1) % 128))
  return Buffer.concat([header(6, delta.byteLength), Buffer.from(bytes), deflateSync(delta)])
}

const contentBytes = 64

function contentOf(index: number): Buffer {
  return Buffer.alloc(contentBytes, `content ${index}, `)
}

function nameOfBlob(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex')
}

/** A delta that makes its base again. */
const copyAll = Uint8Array.of(contentBytes, contentBytes, 0x90, contentBytes)

/** A delta that puts another number over the first four bytes of a base of this size. */
function replaceFirst(number: number, size = contentBytes): Uint8Array {
  const insert = Buffer.alloc(5, 4)
  insert.writeUInt32BE(number, 1)
  const length = size - 4
  const copy = [0xf1, 4, length & 0xff, (length >> 8) & 0xff, (length >> 16) & 0xff]
  return Buffer.concat([varint(size), varint(size), insert, Buffer.from(copy)])
}

function varint(value: number): Buffer {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes)
}

type Entry =
  | { readonly kind: 'blob'; readonly size: number | null }
  | { readonly kind: 'offset' | 'name'; readonly base: number; readonly delta: Uint8Array }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }

/** `base` is an earlier or later entry of the pack where there is one, otherwise a distance or nobody's name. */
function partOf(entry: Entry, index: number, at: number, offsets: readonly number[]): Buffer {
  switch (entry.kind) {
    case 'raw':
      return Buffer.from(entry.bytes)
    case 'blob':
      return Buffer.concat([header(3, entry.size ?? contentBytes), deflateSync(contentOf(index))])
    case 'name':
      return nameDelta(nameOfBlob(contentOf(entry.base)), entry.delta)
    case 'offset':
      return offsetDelta(Math.max(at - (offsets[entry.base] ?? entry.base), 0), entry.delta)
  }
}
