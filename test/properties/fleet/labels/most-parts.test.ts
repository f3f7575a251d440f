import { expect } from 'chai'
import fc from 'fast-check'
import { mostPatternParts } from '../../../../lib/fleet/labels/most-parts.ts'
import { parseLabelExpression } from '../../../../lib/fleet/labels/parse.ts'

describe('the most parts that the regular expressions of a label expression can have', () => {
  it('G24 are none without one, and about those that it has', () => {
    expect(mostPatternParts('lab and region = north')).to.equal(0)
    expect(mostPatternParts('a ~ b{100}')).to.equal(100)
    expect(mostPatternParts("a ~ '(b~c){100}'")).to.be.within(500, 1_100)
    expect(mostPatternParts(`${'~'.repeat(40)}`)).to.equal(32_000)
  })

  it('G24 are never fewer than reading it counts', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'lab',
        '~',
        ' ~ ',
        'b{90}',
        '(bc){9}',
        '[~]{7}',
        '"',
        "'",
        '(',
        ')',
        '[',
        ']',
        '\\Q',
        '\\E',
        '\\',
      ],
      ...[' and ', ' or ', ' not ', '=', '{9}', '~ "[" or c ~ d{50}', " ~ '(x~y){20}'"],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        expect(mostPatternParts(text), text).to.be.at.least(parseLabelExpression(text).patternParts)
      }),
      { numRuns: 2_000, seed: 10 },
    )
  })
})
