import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { change } from '../../../support/builders/builders.ts'
import { told } from '../../../unit/reconcile/status/told-errors.ts'

describe('the errors of a pass', () => {
  it('G24 are as many as may be listed, of blocked applications and of what is held, and how many more there are', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `a${index}`)
    const errors = told({
      blocked: many.map(application => ({
        application,
        problems: [
          { code: 'image-not-found', message: 'no such image' },
          { code: 'image-not-found', message: 'and 4 more problems, which are not listed', notListed: 4 },
        ],
      })),
      changes: many.map(application =>
        change({ application, held: { code: 'dependency-held', reason: 'requires db' } }),
      ),
      stale: new Failure('another-writer', 'somebody else writes'),
    })
    expect(errors).to.have.length(2_001)
    expect([errors[0], errors[999], errors[1999], errors[2000]]).to.deep.equal([
      'image-not-found a0: no such image',
      'image-not-found: and 97504 more problems, which are not listed',
      'dependency-held: and 19001 more problems, which are not listed',
      'another-writer: somebody else writes',
    ])
  })
})
