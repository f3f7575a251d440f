import { expect } from 'chai'
import { contentHashes, isSameContent } from '../../../../../lib/reconcile/fleet/findings/contents.ts'
import type { Application } from '../../../../../lib/state/application/application.ts'
import { hashOf } from '../../../../../lib/state/canonical.ts'
import { application } from '../../../../support/builders/builders.ts'

describe('what a version consists of', () => {
  const read: Application = application('shop', [])
  const named: Application = { ...read, commit: 'c1' }

  it('A12 G25 is the same whichever commit it was read from, also where an earlier Tallyman hashed that', () => {
    const content = contentHashes(named)
    if (content === undefined) expect.fail('it is not known')
    expect(content.content).to.equal(hashOf(read))
    expect(
      [read, named, { ...named, commit: 'c2' }].map(before => isSameContent(hashOf(before), content)),
    ).to.deep.equal([true, true, false])
    expect(contentHashes(read)).to.deep.equal({ content: hashOf(read) })
  })
})
