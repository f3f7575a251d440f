import { expect } from 'chai'
import { sayOfLastEntry } from '../../../../../lib/answers/version/queue-word.ts'
import type { QueueWord } from '../../../../../lib/state/fleet/queue.ts'
import { queueScene, steppingStones, version } from '../../../../support/builders/queue-scene.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { manifestOf } from '../../../../support/memory/memory-daemon.ts'

/** A site whose window is closed. `force` has a version installed all the same. */
async function sceneWith(history: Readonly<Record<string, Files>>) {
  const scene = await queueScene(history)
  const { journal } = scene.world
  const say = (word: QueueWord['word'], version: string) =>
    sayOfLastEntry(journal, {
      ...{ environment: 'prod', site: 'local', application: 'web', version },
      ...{ word, who: 'ann', atMs: 0 },
    })
  return {
    ...scene,
    say,
    force: (version: string) => say('forced', version),
    forced: () => journal.queueWords('prod', 'local').map(word => word.version),
  }
}

const stones = { 1: version('1', '1'), 2: version('2', '2'), 3: version('2', '3'), 4: version('3', '4') }

describe('a version that somebody forces', () => {
  it('A66 A42 is installed before its time, also if it has its version from its images alone', async () => {
    const [one, two, three] = ['1', '2', '3'].map(tag => manifestOf('prod', { web: tag }))
    const scene = await sceneWith({ 1: one ?? {}, 2: two ?? {}, 3: three ?? {} })
    await scene.at('2', {})
    await scene.at('3', {})
    scene.force('2')
    const { outcome, status } = await scene.pass(scene.approved)
    expect([outcome, scene.runs(), status[0]?.reason]).to.deep.equal(['applied', '2', 'web: 1 -> 2'])
    scene.open()
    await scene.pass(scene.approved)
    expect(scene.runs()).to.equal('3')
  })

  it('A66 A42 is installed where no path leads to the wanted one, also while the window is open', async () => {
    const scene = await sceneWith({ ...stones, 4: version('3', '4', '^2\\.5$') })
    await scene.at('2', {})
    scene.open()
    const stuck = await scene.at('4', {})
    expect(stuck.status[0]?.queue?.map(({ version, state }) => `${version} ${state}`)).to.deep.equal([
      '2 skipped',
      '3 next',
    ])
    scene.force('2')
    const { outcome, status } = await scene.pass(scene.approved)
    expect([outcome, scene.runs(), scene.forced()]).to.deep.equal(['applied', '2', []])
    expect(status[0]?.wantedVersion).to.equal('3')
    expect((await scene.pass()).status[0]?.reason).to.equal('no entry of "upgrade-from" leads from 2 to 3')
  })

  it('A66 is forced once: not again when its failure is corrected, by the same version or by retry', async () => {
    for (const corrected of ['3', 'retry']) {
      const scene = await sceneWith(stones)
      await scene.at('2')
      scene.force('2')
      scene.breaks(/^await-healthy/)
      expect((await scene.pass()).outcome).to.equal('rolled-back')
      expect(scene.forced()).to.deep.equal([])
      if (corrected === 'retry') scene.world.journal.releaseQuarantined('prod')
      const waiting = corrected === 'retry' ? await scene.pass() : await scene.at('3')
      expect([scene.runs(), waiting.status[0]?.code]).to.deep.equal(['1', 'window-closed'])
    }
  })

  it('A66 is forced no longer once a version on the way to it failed', async () => {
    const scene = await sceneWith({
      ...steppingStones,
      4: version('3.0.0', '4'),
      5: version('3.0.1', '5', '0$'),
    })
    await scene.at('2')
    await scene.at('3')
    scene.force('3.0.1')
    scene.breaks(/^await-healthy/)
    await scene.pass()
    expect([scene.runs(), scene.forced()]).to.deep.equal(['1', []])
    await scene.at('4')
    await scene.at('5')
    expect(scene.runs()).to.equal('1')
  })

  it('A66 is that version with that content', async () => {
    const scene = await sceneWith(stones)
    await scene.at('2', {})
    scene.force('2')
    await scene.at('3')
    expect([scene.runs(), scene.forced()]).to.deep.equal(['1', []])
    await scene.at('2')
    expect(scene.runs(), 'the first content came back').to.equal('1')
  })

  it('A66 is forced no longer once a commit took it back, whether it comes again or not', async () => {
    const scene = await sceneWith({ ...stones, 5: version('1', '1') })
    await scene.at('2', {})
    scene.force('2')
    await scene.at('5')
    expect(scene.forced()).to.deep.equal([])
    await scene.at('2')
    expect(scene.runs()).to.equal('1')
  })

  it('A66 stays forced while another commit changes something else, and while what runs is repaired', async () => {
    const scene = await sceneWith({ ...stones, 5: { ...version('2', '2'), 'README.md': 'more' } })
    await scene.at('2', {})
    scene.force('2')
    await scene.at('5', {})
    scene.engine.lose()
    await scene.pass()
    expect([scene.runs(), scene.forced()]).to.deep.equal(['1', ['2']])
    await scene.pass(scene.approved)
    expect([scene.runs(), scene.forced()]).to.deep.equal(['2', []])
  })

  it('A66 stays forced if it fails for a reason that may go away, or if the process ends', async () => {
    const scene = await sceneWith(stones)
    await scene.at('2')
    scene.force('2')
    await scene.passUntil(/^create-container/)
    expect([scene.runs(), scene.forced()]).to.deep.equal(['1', ['2']])
    await scene.pass()
    expect([scene.runs(), scene.forced()]).to.deep.equal(['2', []])
  })

  it('A66 is not begun if it is deleted in the moment before', async () => {
    const scene = await sceneWith(stones)
    await scene.at('2')
    scene.open()
    const { pacing, memory } = scene.world
    // The moment is when the engine answers what else it has.
    memory.sites.of('local').surroundings.forget()
    let looks = 0
    const goOn = async () => {
      looks += 1
      if (looks === 2) scene.say('deleted', '2')
      return pacing.goOn()
    }
    Object.assign(scene.world, { pacing: { ...pacing, goOn } })
    const { outcome } = await scene.pass()
    expect([looks >= 2, outcome, scene.runs()]).to.deep.equal([true, 'superseded', '1'])
    expect((await scene.pass()).status[0]?.code).to.equal('upgrade-deleted')
  })
})
