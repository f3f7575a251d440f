import { expect } from 'chai'
import fc from 'fast-check'
import { isLong, jsonPieces } from '../../../lib/http/json-pieces.ts'
import { printableJson } from '../../../lib/text/printable.ts'

const text = (value: unknown) => [...jsonPieces(value)].join('')
const many = (count: number, entry: unknown = { site: 'east', next: undefined }) =>
  Array.from({ length: count }, () => entry)

describe('an answer in pieces', () => {
  it('G24 reads like the whole, whatever is in it, and however long a list of it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 350 }), (value, count) => {
        expect(text(value)).to.equal(printableJson(value))
        const long = { none: undefined, all: many(count, value), ['\u202e']: [many(count), value, undefined] }
        expect(text(long)).to.equal(printableJson(long))
      }),
      { numRuns: 30 },
    )
    expect(text([many(101), many(0), {}])).to.equal(printableJson([many(101), many(0), {}]))
  })

  it('G17 has of no list more than a hundred entries in one piece, wherever the list is', () => {
    for (const value of [many(1_000), { a: { b: many(1_000) } }, many(150, { c: [many(1_000)] })]) {
      expect(isLong(value)).to.equal(true)
      for (const piece of jsonPieces(value)) expect(piece.split('east').length).to.be.at.most(101)
    }
    expect(isLong(many(100, { c: [many(100)] }))).to.equal(false)
  })

  it('G24 makes what a list makes entry by entry when it is needed', () => {
    const made: number[] = []
    const list = {
      *[Symbol.iterator]() {
        for (let entry = 0; entry < 250; entry += 1) {
          made.push(entry)
          yield { entry }
        }
      },
      toJSON: () => [],
    }
    const pieces = jsonPieces({ list })
    const first = [pieces.next(), pieces.next(), pieces.next()].map(({ value }) => String(value).slice(0, 12))
    expect([first, made.length]).to.deep.equal([['{"list":', '[', '{"entry":0},'], 101])
    expect(JSON.parse(text({ list })).list.length).to.equal(250)
  })
})
