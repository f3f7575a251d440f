import { expect } from 'chai'
import { resumedText } from '../../../../lib/cli/text/resumed-text.ts'

const resumed = { resumed: true }

describe('what was resumed, in words', () => {
  it('G13 A33 is the deployment that goes on, what is followed again and what is no longer suspended', () => {
    expect(resumedText(resumed, 'shop')).to.equal('Resumed.')
    expect(resumedText({ ...resumed, deployment: 'shop-everywhere' }, 'shop')).to.equal(
      'Resumed: the deployment shop-everywhere goes on.',
    )
    expect(
      resumedText({ ...resumed, deployment: 'shop', heldAt: '2.0', wasSuspended: true }, 'shop'),
    ).to.equal(
      'Resumed: the deployment shop goes on, and the commits are followed again, after version 2.0 was held, and it is no longer suspended.',
    )
  })

  it('G13 A33 is no deployment that goes on, if all of its sites had the version: the next one is no longer held back', () => {
    expect(resumedText({ ...resumed, deployment: 'shop', version: '2.0', isDone: true }, 'shop')).to.equal(
      'Resumed: the deployment shop is no longer paused: all of its sites have 2.0, and the next version is not held back.',
    )
  })

  it('G13 is nothing, of whatever a person may have meant', () => {
    expect(resumedText({ resumed: false }, 'shop')).to.equal(
      'Nothing of shop was suspended, paused, aborted or held.',
    )
    expect(resumedText({ resumed: false, byThemselves: ['blog', 'shop'] }, undefined)).to.equal(
      'The environment was not suspended. Still suspended or held, each by itself: blog, shop. Run "tallyman resume blog".',
    )
  })
})
