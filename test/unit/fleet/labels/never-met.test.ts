import { expect } from 'chai'
import { isNeverMet } from '../../../../lib/fleet/labels/never-met.ts'
import { parseLabelExpression } from '../../../../lib/fleet/labels/parse.ts'

const rows: readonly (readonly [string, boolean])[] = [
  ['not system/name', true],
  ['not system/type', true],
  ['{}', true],
  ['lab and {}', true],
  ['{} or not system/name', true],
  ['not (system/name or lab)', true],
  ['system/name', false],
  ['lab', false],
  ['not lab', false],
  ['not {}', false],
  ['lab or {}', false],
  ['system/type = egde', false],
  ['not system/type = edge', false],
  ['not (system/name and lab)', false],
]

describe('an expression', () => {
  for (const [text, isNever] of rows)
    it(`G4 ${text} ${isNever ? 'says that no site is meant' : 'may be met by a site'}`, () => {
      const read = parseLabelExpression(text)
      expect(read.ok && isNeverMet(read.expression)).to.equal(isNever)
    })
})
