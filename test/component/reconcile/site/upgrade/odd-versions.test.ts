import { expect } from 'chai'
import { rollback } from '../../../../../lib/answers/rollback.ts'
import { deleteUpgrade, forceUpgrade } from '../../../../../lib/answers/upgrade.ts'
import { versionLines } from '../../../../../lib/cli/text/version-text.ts'
import { versionList } from '../../../../../lib/reconcile/status/version-list.ts'
import { queueScene } from '../../../../support/builders/queue-scene.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { refused } from '../../../../support/failures/refused.ts'
import { tags, web } from '../../../../support/git/commit-history.ts'
import { ann, memorySubject } from '../../../../support/memory/memory-audience.ts'

/** Names that versions may have, and that mean something else elsewhere; those with an underscore only as a tag. */
const odd = [
  '..-',
  '+',
  '-',
  '--to',
  '-rf',
  'constructor',
  'toString',
  '1e3',
  '0x10',
  'latest',
  '7'.repeat(128),
]
const oddTags = ['__proto__', '_', 'hasOwnProperty']

const queueOf = (name: string, files: Files) => ({
  name,
  history: { 1: web('1', '1'), 2: files, 3: web('3', '3') },
})
const all = [
  ...odd.map(name => queueOf(name, web(name, '2'))),
  ...oddTags.map(name => ({
    name,
    history: { 1: tags({ web: '1' }), 2: tags({ web: name }), 3: tags({ web: '3' }) },
  })),
]

describe('a version with the name of something else', () => {
  it('A65 A66 A6 G24 is carried as it is through the queue, the journal, a rollback and the output', async () => {
    for (const { name, history } of all) {
      const scene = await queueScene(history)
      const { journal, nowMs } = scene.world
      const subject = memorySubject()
      const audience = { subjects: [subject], journal, nowMs }
      const waits = await scene.at('2')
      expect(
        waits.status[0]?.queue?.map(({ version }) => version),
        name,
      ).to.deep.equal([name])
      const about = { application: 'web', version: name }
      const one = { site: 'local', ...about }
      expect(await deleteUpgrade(audience, ann, about)).to.deep.equal({ deleted: [one] })
      scene.open()
      const deleted = await scene.pass()
      expect([scene.runs(), deleted.status[0]?.code], name).to.deep.equal(['1', 'upgrade-deleted'])
      scene.close()
      expect(await forceUpgrade(audience, ann, about)).to.deep.equal({ forced: [one] })
      await scene.pass()
      expect([scene.runs(), journal.queueWords('prod', 'local')], name).to.deep.equal([
        oddTags.includes(name) ? name : '2',
        [],
      ])
      scene.open()
      await scene.at('3')
      await scene.pass()
      expect(scene.runs(), name).to.equal('3')
      const list = versionList(journal, 'prod', 'web')
      expect(
        list.versions.map(({ version }) => version),
        name,
      ).to.deep.equal(['3', name, '1'])
      expect(versionLines(list).flat().join('\n'), name).to.include(name)
      await rollback(audience, ann, { application: 'web', to: name, outsideWindow: true })
      expect(
        journal.heldVersions('prod').map(({ version }) => version),
        name,
      ).to.deep.equal([name])
    }
  })

  it('A66 G24 is not known if nothing is called so, and is no other version', async () => {
    const scene = await queueScene({ 1: web('1', '1'), 2: web('2', '2') })
    await scene.at('2')
    const { journal, nowMs } = scene.world
    const audience = { subjects: [memorySubject()], journal, nowMs }
    for (const version of ['', '*', '../2', '2/', '__proto__', '2\0', '%', '2 ', '"'])
      for (const say of [forceUpgrade, deleteUpgrade])
        expect(await refused(say(audience, ann, { application: 'web', version }))).to.equal(
          `wrong-usage: version ${version} of web does not wait; these do: 2`,
        )
    expect(journal.queueWords('prod', 'local')).to.deep.equal([])
  })
})
