import { expect } from 'chai'
import { sayOfLastEntry } from '../../../../../lib/answers/version/queue-word.ts'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { walkText } from '../../../../../lib/plan/change/walk.ts'
import type { FieldChange } from '../../../../../lib/plan/compare/field/field-change.ts'
import { planJson } from '../../../../../lib/plan/text/json.ts'
import { renderPlan } from '../../../../../lib/plan/text/render.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { pair, queueScene, steppingStones, version } from '../../../../support/builders/queue-scene.ts'
import { tags } from '../../../../support/git/commit-history.ts'

/** `web: 2.0.4 -> 3.0, then 3.0.1`, and why it waits. */
function planned({ plan }: PassResult): readonly string[] {
  return (plan?.changes ?? []).map(change => {
    const way = change.walk === undefined ? change.service : walkText({ ...change, walk: change.walk })
    return change.held === undefined ? way : `${way} (${change.held.code})`
  })
}

const queued = ({ status }: PassResult) =>
  status[0]?.queue?.map(({ version, state, reason = '' }) => `${version} ${state}: ${reason}`)

describe('the queue in a pass over a site', () => {
  it('A65 installs 3.0 and then 3.0.1, which only follows it, once the window is open', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    const closed = await scene.at('3')
    expect(planned(closed)).to.deep.equal(['web: 2.0.4 -> 3.0, then 3.0.1 (window-closed)'])
    expect(queued(closed)).to.deep.equal([
      '3.0 next: waits for the upgrade window, which opens 1970-01-02 00:00 UTC',
      '3.0.1 later: ',
    ])
    scene.open()
    const first = await scene.pass()
    expect([first.outcome, first.sync, scene.runs()]).to.deep.equal(['applied', 'OutOfSync', '2'])
    expect(first.status[0]).to.deep.include({ version: '2.0.4', wantedVersion: '3.0.1' })
    const second = await scene.pass()
    expect([second.outcome, second.sync, scene.runs()]).to.deep.equal(['applied', 'Synced', '3'])
    expect((await scene.pass()).outcome).to.equal('in-sync')
    // Each of them ran, the step on the way, too: what fails elsewhere later has not only failed.
    const { journal } = scene.world
    for (const version of ['3.0', '3.0.1'])
      journal.noteVersionFailed({ environment: 'prod', application: 'web', version })
    const failed = journal.keptVersions('prod', 'web').filter(one => one.hasOnlyFailed === true)
    expect(
      failed.map(({ version }) => version),
      'A6',
    ).to.deep.equal([])
  })

  it('G7 X18 shows what later versions bring that one approval covers, in text and as JSON', async () => {
    const scene = await queueScene({ ...steppingStones, 3: version('3.0.1', '3', '^3\\.0$', 'evil') })
    await scene.at('2')
    const { plan } = await scene.at('3')
    if (plan === undefined) throw new Error('there is a plan')
    const text = printed(renderPlan(plan, { verbose: false }), false)
    expect(text.slice(text.indexOf('Afterwards'))).to.match(
      /^Afterwards, by the same approval, compared with what runs now:\n {2}web 3\.0\.1\n {8}web: recreate: upgrade-from says stop-and-restart; with a short downtime\n {8}web\/env\/MODE: plain → evil\n {8}web\/image: \S+:1@\S+ → \S+:3@\S+\n/,
    )
    const [change] = JSON.parse(JSON.stringify(planJson(plan, true, 'OutOfSync'))).changes
    expect(change.walk.later).to.have.length(1)
    expect(change.walk.later[0]).to.deep.include({
      ...{ version: '3.0.1', service: 'web' },
      how: { strategy: 'recreate', strategyReason: 'upgrade-from says stop-and-restart', downtime: true },
    })
    expect(change.walk.later[0].fields.map(({ path, to }: FieldChange) => [path, to])).to.deep.include([
      'web/env/MODE',
      'evil',
    ])
  })

  it('A65 installs only the last one, if it may follow what runs', async () => {
    const scene = await queueScene({
      1: version('1.2.0', '1'),
      2: version('1.2.1', '2'),
      3: version('1.2.2', '3'),
      4: version('1.2.3', '4'),
      5: version('1.2.4', '5'),
    })
    for (const digit of ['2', '3', '4', '5']) await scene.at(digit)
    const before = scene.engine.done.length
    scene.open()
    await scene.pass()
    expect(scene.runs()).to.equal('5')
    const created = scene.engine.done.slice(before).filter(step => step.startsWith('create-container'))
    expect(created).to.have.length(1)
  })

  it('A60 A65 keeps a step on the way, and repairs it, while the window is closed again', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    await scene.at('3')
    scene.open()
    await scene.pass()
    scene.close()
    expect(planned(await scene.pass())).to.deep.equal(['web (window-closed)'])
    scene.engine.lose()
    await scene.pass()
    expect(scene.runs()).to.equal('2')
  })

  it('X18 asks once about the whole way, however long it takes', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2', {})
    const { plan, waiting } = await scene.at('3', {})
    expect(waiting).to.have.length(1)
    await scene.pass({ ...scene.approved, onlyPlan: plan?.id ?? '' })
    scene.open()
    expect([(await scene.pass()).waiting, scene.runs()]).to.deep.equal([[], '2'])
    expect([(await scene.pass()).waiting, scene.runs()]).to.deep.equal([[], '3'])
  })

  it('X18 lets an approval that a newer version overtook lapse for what it named, and asks about the new way', async () => {
    const scene = await queueScene({ ...steppingStones, 4: version('3.0.2', '4', '^3\\.0$') })
    await scene.at('2', {})
    await scene.at('3')
    scene.open()
    const { waiting, plan } = await scene.at('4', {})
    expect([waiting.length, scene.runs()]).to.deep.equal([0, '2'])
    expect(plan?.changes.map(({ walk }) => walk?.by)).to.deep.equal([['3.0', '3.0.2']])
    expect([(await scene.pass()).waiting.length, scene.runs()]).to.deep.equal([1, '2'])
  })

  it('X18 lets an approval that a newer version overtook lapse, also if a commit goes back to what was approved', async () => {
    const one = (tag: string) => version(`${tag}.0`, tag)
    const scene = await queueScene({ 1: one('1'), 2: one('2'), 3: one('3'), 4: one('2') })
    expect((await scene.at('2')).waiting).to.deep.equal([])
    await scene.at('3', {})
    expect((await scene.at('4', {})).waiting, 'it is asked about').to.have.length(1)
    scene.open()
    await scene.pass()
    expect(scene.runs()).to.equal('1')
    await scene.pass(scene.approved)
    expect(scene.runs()).to.equal('2')
  })

  it('A65 G5 keeps what runs if a step fails, says so, and does not try it again and again', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    await scene.at('3')
    scene.open()
    scene.breaks(/^await-healthy/)
    expect((await scene.pass()).outcome).to.equal('rolled-back')
    for (const _ of [1, 2]) {
      const after = await scene.pass()
      expect([scene.runs(), after.errors.map(({ code }) => code)]).to.deep.equal(['1', ['quarantined']])
      expect(after.status[0]?.reason).to.equal(
        'no entry of "upgrade-from" leads from 2.0.4 to 3.0.1, and 3.0 failed before: exited with code 1',
      )
    }
  })

  it('A65 G5 goes around a version that failed after commits that had changed something else', async () => {
    for (const later of ['^(1\\.9|2\\.0)$', '^2\\.0$']) {
      const scene = await queueScene({
        ...{ 1: version('1.0', '1'), 2: version('1.9', '2'), 3: version('2.0', '3') },
        4: { ...version('2.0', '3'), 'README.md': 'one' },
        5: { ...version('2.0', '3'), 'README.md': 'two' },
        6: version('3.0', '6', later),
      })
      for (const digit of ['2', '3', '4', '5']) await scene.at(digit)
      scene.open()
      scene.breaks(/^await-healthy/)
      expect((await scene.pass()).outcome).to.equal('rolled-back')
      const { plan, status } = await scene.at('6')
      if (later.includes('1')) expect(scene.runs(), 'by way of 1.9').to.equal('2')
      else {
        expect(plan?.changes.map(({ held }) => [held?.code, held?.step])).to.deep.equal([
          ['quarantined', '2.0'],
        ])
        expect(status[0]?.reason).to.equal(
          'no entry of "upgrade-from" leads from 1.0 to 3.0, and 2.0 failed before: exited with code 1',
        )
      }
    }
  })

  it('A65 D18 goes by way of the correction of a step that failed, of the same version or another', async () => {
    for (const [corrected, wanted] of [
      ['3.0', '3.0.1'],
      ['3.0.0-1', '3.0.2'],
    ] as const) {
      const scene = await queueScene({
        ...steppingStones,
        4: version(corrected, '4'),
        5: version(wanted, '5', `^${corrected}$`),
      })
      await scene.at('2')
      await scene.at('3')
      scene.open()
      scene.breaks(/^await-healthy/)
      await scene.pass()
      scene.close()
      await scene.at('4')
      await scene.at('5')
      scene.open()
      await scene.pass()
      expect(scene.runs()).to.equal('4')
      await scene.pass()
      expect(scene.runs()).to.equal('5')
    }
  })

  it('A65 tries a step that failed again when somebody asks for it', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    await scene.at('3')
    scene.open()
    scene.breaks(/^await-healthy/)
    await scene.pass()
    scene.world.journal.releaseQuarantined('prod')
    await scene.pass()
    expect(scene.runs()).to.equal('2')
  })

  it('A65 goes by no version that a revert took back, and says so', async () => {
    const scene = await queueScene({
      1: version('2.0.3', '1'),
      2: version('2.0.4', '2'),
      3: version('3.0', '3'),
      4: version('2.0.4', '2'),
      5: version('3.0.1', '5', '^3\\.0$'),
    })
    for (const digit of ['2', '3', '4', '5']) await scene.at(digit)
    scene.open()
    const after = await scene.pass()
    expect([scene.runs(), after.errors.map(({ code }) => code)]).to.deep.equal(['1', ['no-upgrade-path']])
    expect(after.status[0]?.reason).to.equal(
      'no entry of "upgrade-from" leads from 2.0.3 to 3.0.1, and 3.0 was taken back by a later commit',
    )
  })

  it('A65 A42 G25 completes a step that a crash left half-done before the next one', async () => {
    for (const step of [/^start-container/, /^await-healthy/]) {
      const scene = await queueScene({ ...steppingStones, 2: version('3.0', '2', '^2') })
      await scene.at('2')
      await scene.at('3')
      scene.open()
      expect((await scene.passUntil(step)).outcome).to.equal('interrupted')
      await scene.pass()
      expect(scene.runs()).to.equal('2')
      await scene.pass()
      expect(scene.runs()).to.equal('3')
    }
  })

  it('A66 installs a forced version by its whole way outside of the window, and forgets that it was forced', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    await scene.at('3')
    const { journal } = scene.world
    const entry = journal.versionEntries('prod', 'web').find(one => one.version === '3.0.1')
    journal.sayOfQueue({
      ...{ environment: 'prod', site: 'local', application: 'web', version: '3.0.1' },
      ...{ entry: entry?.number ?? 0, word: 'forced', who: 'ann', atMs: 0 },
    })
    await scene.pass()
    expect([scene.runs(), journal.queueWords('prod', 'local').length]).to.deep.equal(['2', 1])
    await scene.pass()
    expect([scene.runs(), journal.queueWords('prod', 'local').length]).to.deep.equal(['3', 0])
  })

  it('A66 does not install a deleted version, says who deleted it, and installs a newer one', async () => {
    const scene = await queueScene({ ...steppingStones, 4: version('3.0.2', '4') })
    await scene.at('2')
    const { journal } = scene.world
    const entry = journal.versionEntries('prod', 'web').find(one => one.version === '3.0')
    journal.sayOfQueue({
      ...{ environment: 'prod', site: 'local', application: 'web', version: '3.0' },
      ...{ entry: entry?.number ?? 0, word: 'deleted', who: 'ann', atMs: 0 },
    })
    scene.open()
    const deleted = await scene.pass()
    expect([scene.runs(), deleted.outcome, deleted.waiting]).to.deep.equal(['1', 'in-sync', []])
    expect(deleted.status[0]?.reason).to.equal(
      'this version was deleted from the queue by ann; "tallyman force-upgrade web 3.0" installs it there after all',
    )
    await scene.at('4')
    expect(scene.runs()).to.equal('4')
  })

  it('A65 X19 A42 comes from an application that had no version of its own, only straight', async () => {
    const scene = await queueScene({
      1: tags({ web: '1' }),
      2: tags({ web: '2' }),
      3: version('3.0', '3', '.'),
      4: version('3.0.1', '4', '^$'),
    })
    await scene.at('2')
    scene.open()
    const without = await scene.at('3')
    expect([scene.runs(), without.errors.map(({ code }) => code)]).to.deep.equal(['1', ['no-upgrade-path']])
    await scene.at('4')
    expect([scene.runs(), (await scene.pass()).sync]).to.deep.equal(['4', 'Synced'])
  })

  it('A65 A42 goes on after a step that left a service as it was, which is of that version then', async () => {
    const scene = await queueScene({
      1: pair('1', '1'),
      2: pair('2', '2', '^1$', '1'),
      3: pair('3', '3', '^2$'),
    })
    await scene.at('2')
    await scene.at('3')
    scene.open()
    await scene.pass()
    expect(scene.runs()).to.equal('1+2')
    await scene.pass()
    expect(scene.runs()).to.equal('3+3')
  })

  it('A66 waits for the window where a forced version cannot be reached and the wanted one can', async () => {
    const scene = await queueScene({
      ...{ 1: version('1', '1'), 2: version('2', '2', '^7$'), 3: version('3', '3') },
    })
    await scene.at('2')
    const { journal } = scene.world
    sayOfLastEntry(journal, {
      ...{ environment: 'prod', site: 'local', application: 'web', version: '2' },
      ...{ word: 'forced', who: 'ann', atMs: 0 },
    })
    const waits = await scene.at('3')
    expect(waits.status[0]?.code).to.equal('window-closed')
    scene.open()
    await scene.pass()
    expect(scene.runs()).to.equal('3')
  })
})
