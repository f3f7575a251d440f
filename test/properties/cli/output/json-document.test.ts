import { expect } from 'chai'
import fc from 'fast-check'
import { jsonDocument } from '../../../../lib/cli/output/json-document.ts'
import { printableJson } from '../../../../lib/text/printable.ts'

const text = (value: unknown) => [...jsonDocument(value)].join('')

describe('a JSON document in pieces', () => {
  it('G24 reads like the whole, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(text(value)).to.equal(`${printableJson(value, 2)}\n`)
      }),
    )
    expect(text({ a: undefined, b: [], c: {} })).to.equal('{\n  "b": [],\n  "c": {}\n}\n')
  })

  it('G24 has a piece for each entry of a list, which is made when it is needed', () => {
    const made: number[] = []
    const list = {
      *[Symbol.iterator]() {
        for (const entry of [1, 2]) {
          made.push(entry)
          yield { entry }
        }
      },
      toJSON: () => [],
    }
    const pieces = jsonDocument({ list })
    const first = [pieces.next(), pieces.next()].map(({ value }) => value)
    expect([first, made]).to.deep.equal([['{\n  "list": ', '[\n    {\n      "entry": 1\n    }'], [1]])
    expect([...pieces].join('')).to.equal(',\n    {\n      "entry": 2\n    }\n  ]\n}\n')
  })
})
