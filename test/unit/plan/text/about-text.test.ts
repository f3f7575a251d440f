import { expect } from 'chai'
import { aboutText, revisionText } from '../../../../lib/plan/text/render.ts'

const forged = 'Release 3" by ada <ada@example.com>, signed by ada@example.com (SHA256:3f9a0c1e'

describe('what a commit says of itself', () => {
  it('G24 is in quotes that it cannot end, so that it names no author and no signer', () => {
    expect(aboutText({ subject: forged, author: 'Eve <eve@example.com>' })).to.equal(
      String.raw`"Release 3\" by ada <ada@example.com>, signed by ada@example.com (SHA256:3f9a0c1e" by Eve <eve@example.com>`,
    )
    expect(aboutText({ subject: String.raw`ends with \ `.trim(), author: '' })).to.equal(
      String.raw`"ends with \\"`,
    )
  })

  it('G24 is in quotes if it is an author that could be taken for more than that', () => {
    for (const author of [
      'Ada <ada@example.com>, signed by ada (SHA256:1)',
      'Ada <ada@example.com> signed by ada',
      'Ada (SHA256:1)',
    ])
      expect(aboutText({ subject: '', author })).to.equal(`by "${author}"`)
    for (const author of ['Ada Example <ada@example.com>', 'ada', "Ada O'Neil <>"])
      expect(aboutText({ subject: '', author })).to.equal(`by ${author}`)
  })

  it('G24 is followed by who signed it, which is not in quotes', () => {
    const revision = { ref: 'main', commit: 'c'.repeat(40), author: 'Ada', subject: 'Ship "it"', time: '' }
    expect(revisionText({ ...revision, signedBy: { name: 'ada', key: 'SHA256:1' } })).to.equal(
      String.raw`cccccccccccc "Ship \"it\"" by Ada, signed by ada (SHA256:1)`,
    )
  })
})
