import { expect } from 'chai'
import { isHeard, unheard } from '../../../../lib/answers/subject/addressed.ts'

/** Where another process writes, and which sites have not said who does. All others are written here. */
const standing = (rivals: readonly string[], unasked: readonly string[]) => ({
  sites: () => ['lab', 'north', 'south'],
  rivals: () =>
    new Map(rivals.map(site => [site, { message: `${site}: node-2 writes`, hint: 'Say it there.' }])),
  unasked: () => new Set(unasked),
})

describe('whether what is said of some sites counts here', () => {
  const cases = [
    { is: true, rivals: [], unasked: [], about: ['lab', 'north', 'south'], why: 'all are written here' },
    {
      is: true,
      rivals: [],
      unasked: ['lab', 'north', 'south'],
      about: ['lab'],
      why: 'no site says anything',
    },
    { is: true, rivals: ['lab'], unasked: ['north'], about: ['lab', 'south'], why: 'one is written here' },
    { is: true, rivals: ['lab'], unasked: ['north'], about: ['north'], why: 'another site is written here' },
    { is: true, rivals: ['lab'], unasked: ['north'], about: ['lab', 'north'], why: 'it may be ours' },
    { is: true, rivals: ['lab'], unasked: [], about: [], why: 'it is about no site' },
    { is: false, rivals: ['lab'], unasked: ['north'], about: ['lab'], why: 'another one writes there' },
    {
      is: false,
      rivals: ['lab'],
      unasked: ['north', 'south'],
      about: ['lab', 'north', 'south'],
      why: 'no site is ours',
    },
    {
      is: false,
      rivals: ['lab'],
      unasked: ['north', 'south'],
      about: ['north'],
      why: 'no site of all is ours',
    },
  ]
  for (const { is, rivals, unasked, about, why } of cases)
    it(`D17 ${is ? 'it does' : 'it does not'}: ${why}`, () => {
      expect(isHeard(standing(rivals, unasked), about)).to.equal(is)
    })

  it('D17 if not, it is said who writes: on those sites, or else where it is known', () => {
    const one = standing(['lab'], ['north', 'south'])
    for (const about of [['lab', 'north'], ['north']])
      expect(unheard(one, about)).to.include({
        code: 'another-writer',
        message: 'lab: node-2 writes',
        hint: 'Say it there.',
      })
  })
})
