import { expect } from 'chai'
import { snapshotOf } from '../../../../lib/git/snapshot/commit-snapshot.ts'
import { findEnvironments, findMisnamed } from '../../../../lib/manifest/environments.ts'
import { refused } from '../../../support/failures/refused.ts'
import { directory, file, gitObjects } from '../../../support/git/git-objects.ts'

const ten = [...'abcdefghij']

describe('the directories of a commit', () => {
  for (const top of ['other', 'environments'])
    it(`G24 are counted before they are expanded: twelve levels of ten names for one subtree below ${top}`, async () => {
      const git = gitObjects()
      const bottom = git.tree([file('manifest.json', git.file('{}'))])
      const commit = git.commit(git.tree([directory(top, sharedLevels(git, bottom, 12))]))
      const snapshot = await snapshotOf(commit, 'main', git.read)
      for (const look of [findEnvironments, findMisnamed])
        expect(await refused(look(snapshot))).to.equal(
          `repository-too-large: ${commit}: has more than 100000 files and directories`,
        )
      expect(git.reads.length, 'objects that were read').to.be.below(20)
    })

  it('G24 are refused if they are more than 64 levels deep, whatever path leads there', async () => {
    expect(await findEnvironments(await nested(64))).to.deep.equal([])
    expect(await refused(findEnvironments(await nested(65)))).to.match(
      /^repository-too-large: [0-9a-f]{40}: is more than 64 directories deep$/,
    )

    async function nested(levels: number) {
      const git = gitObjects()
      let tree = git.tree([file('x', git.file('x'))])
      for (let level = 1; level < levels; level += 1) tree = git.tree([directory('d', tree)])
      return snapshotOf(git.commit(git.tree([directory('d', tree), directory('e', tree)])), 'main', git.read)
    }
  })

  it('E1 hold an environment at each path to a shared subtree', async () => {
    const git = gitObjects()
    const prod = git.tree([file('manifest.json', git.file('{}'))])
    const team = git.tree([directory('environments', git.tree([directory('prod', prod)]))])
    const commit = git.commit(git.tree([directory('blue', team), directory('red', team)]))
    const found = await findEnvironments(await snapshotOf(commit, 'main', git.read))
    expect(found.map(place => place.directory)).to.deep.equal([
      'blue/environments/prod',
      'red/environments/prod',
    ])
  })

  it('G24 cost nothing more if they hold no environment: a name that is no path is passed over', async () => {
    const git = gitObjects()
    const unit = git.tree([file('dev-disk.mount', git.file('x'))])
    const commit = git.commit(
      git.tree([
        directory('a\\x2db', unit),
        directory(
          'environments',
          git.tree([directory('prod', git.tree([file('manifest.json', git.file('{}'))]))]),
        ),
      ]),
    )
    const found = await findEnvironments(await snapshotOf(commit, 'main', git.read))
    expect(found.map(place => place.directory)).to.deep.equal(['environments/prod'])
  })
})

describe('a commit', () => {
  it('G24 keeps in its subject and author what acts on a terminal, which is escaped where it is printed', async () => {
    const git = gitObjects()
    const { revision } = await snapshotOf(
      git.commit(git.tree([]), 'Fix\u001b[2K it\u202e\n\nBecause.', 'A\u0007da\u200b <ada@example.com>'),
      'main',
      git.read,
    )
    expect(revision).to.include({
      subject: 'Fix\u001b[2K it\u202e',
      author: 'A\u0007da\u200b <ada@example.com>',
    })
  })
})

function sharedLevels(git: ReturnType<typeof gitObjects>, bottom: string, levels: number): string {
  let tree = bottom
  for (let level = 0; level < levels; level += 1) tree = git.tree(ten.map(name => directory(name, tree)))
  return tree
}
