import { expect } from 'chai'
import { snapshotOf } from '../../../lib/git/snapshot/commit-snapshot.ts'
import { findEnvironments } from '../../../lib/manifest/environments.ts'
import { refused } from '../../support/failures/refused.ts'
import { directory, file, gitObjects } from '../../support/git/git-objects.ts'

describe('the directories of a commit', () => {
  it('G24 count once for each path that leads to them', async () => {
    const accepted = await commitWith(98)
    expect(await findEnvironments(accepted)).to.deep.equal([])
    const tooMany = await commitWith(99)
    expect(await refused(findEnvironments(tooMany))).to.match(/^repository-too-large: /)

    /** A hundred directories of 999 files each are 100,000 entries with those directories. */
    async function commitWith(files: number) {
      const git = gitObjects()
      const blob = git.file('{}')
      const names = (count: number) =>
        Array.from({ length: count }, (_, at) => `n${String(at).padStart(3, '0')}`)
      const shared = git.tree(names(999).map(name => file(name, blob)))
      const beside = git.tree(names(files).map(name => file(name, blob)))
      const root = [
        directory('beside', beside),
        ...names(99).map(name => directory(name, shared)),
        directory('o', git.tree(names(900).map(name => file(name, blob)))),
      ]
      return snapshotOf(git.commit(git.tree(root)), 'main', git.read)
    }
  })
})
