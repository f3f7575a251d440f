import { expect } from 'chai'
import { draftOn } from '../../../lib/git/draft/draft.ts'
import { refused } from '../../support/failures/refused.ts'
import { sideOf } from '../../support/git/revert-side.ts'

const ada = { name: 'Ada', email: 'ada@example.com' }
const words = { author: ada, committer: ada, message: 'Go back', atMs: 0 }

describe('a commit that is drafted', () => {
  it('G24 is refused with a file that has no path, or one that leads elsewhere, before a tree is made of it', async () => {
    const { commit, read } = await sideOf({ 'a/b': '1' })
    const drafted = (path: string) =>
      refused(draftOn(commit, new Map([[path, Buffer.from('2')]]), words, 'main', read))
    expect(await drafted('')).to.equal('internal: a file that changes has no path')
    for (const path of ['/a', 'a//b', 'a/', 'a/../b', './a', 'a\\b'])
      expect(await drafted(path), path).to.match(/^path-forbidden: /)
  })
})
