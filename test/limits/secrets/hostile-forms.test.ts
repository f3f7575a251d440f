import { expect } from 'chai'
import { formsOf } from '../../../lib/secrets/revealing-texts.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'

describe('what a secret is recognised by', () => {
  it('G24 takes no longer for a secret that is made to take long', async () => {
    const hostile: readonly ((length: number) => string)[] = [
      length => `a=${' '.repeat(length)}x`,
      length => '://a:'.repeat(length / 5),
      length => '{'.repeat(length),
      length => '"'.repeat(length),
    ]
    for (const secret of hostile)
      expect(await growth(length => formsOf(secret(length)), 6_500)).to.be.below(mostInProportion)
  })
})
