import { expect } from 'chai'
import { recordFindings } from '../../../../../lib/reconcile/fleet/findings/record-findings.ts'
import { desiredState } from '../../../../../lib/reconcile/repository/desired.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { pair, queueScene } from '../../../../support/builders/queue-scene.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'

/** Two services in version 1, then in version 2, and then what a test says. */
const history = (third: Files, more: Readonly<Record<string, Files>> = {}) => ({
  ...{ 1: pair('1', '1'), 2: pair('2', '2'), 3: third },
  ...more,
})

/**
 * A site whose process ended in the middle of the upgrade to version 2: `web` has it already, and `api` has both.
 * The window is closed again.
 */
async function halfway(commits: Readonly<Record<string, Files>>) {
  const scene = await queueScene(commits)
  await scene.at('2')
  scene.open()
  // A site that a deployment has drawn begins once a pass has found its window open.
  recordFindings(scene.world, await scene.pass({ until: 'plan' }))
  const { outcome } = await scene.passUntil(/^await-healthy prod.api/, /^remove-container prod.web/)
  expect([outcome, scene.runs()]).to.deep.equal(['interrupted', '1+2+2'])
  scene.close()
  return scene
}

const unapproved = {}
const told = ({ plan }: PassResult) =>
  plan?.changes.map(({ service, reason, held }) => `${service}: ${held?.code ?? reason}`)

describe('an upgrade that a process left half-done', () => {
  it('A62 G25 is completed although a newer version waits for the window, and then that one waits', async () => {
    const scene = await halfway(history(pair('3', '3')))
    const done = await scene.at('3')
    expect([scene.runs(), done.outcome, done.sync]).to.deep.equal(['2+2', 'applied', 'OutOfSync'])
    expect(told(done)).to.deep.equal(['api: completes version 2, which was begun before'])
    expect(told(await scene.pass())).to.deep.equal(['api: window-closed', 'web: window-closed'])
    scene.open()
    await scene.pass(scene.approved)
    expect(scene.runs()).to.equal('3+3')
  })

  it('A62 A32 is completed although the turn of a newer version in its deployment has not come', async () => {
    const commits = history(pair('3', '3'))
    const rolling =
      'name: web\napplication: web\nplacement: {all-sites: true}\ndeploy-to-sites: {sites-in-parallel: 1}\n'
    const scene = await halfway(
      Object.fromEntries(
        Object.entries(commits).map(([digit, files]) => [
          digit,
          { ...files, 'deployments/web.yaml': rolling },
        ]),
      ),
    )
    const { journal } = scene.world
    journal.addFact(journal.run('prod', 'web')?.id ?? 0, { kind: 'word', atMs: 1, word: 'pause', who: 'ann' })
    scene.open()
    await scene.at('3')
    expect([scene.runs(), told(await scene.pass())]).to.deep.equal([
      '2+2',
      ['api: deployment-stopped', 'web: deployment-stopped'],
    ])
  })

  it('A62 D4 is completed although a newer commit waits for an approval, which is asked for then', async () => {
    for (const third of [pair('3', '3'), pair('2', '3')]) {
      const scene = await halfway(history(third))
      scene.open()
      await scene.at('3', unapproved)
      expect(scene.runs()).to.equal('2+2')
      const { waiting } = await scene.pass()
      expect([scene.runs(), waiting.length]).to.deep.equal(['2+2', 2])
      await scene.pass(scene.approved)
      expect(scene.runs()).to.equal('3+3')
    }
  })

  it('A62 D4 needs no second approval, however long the process was away', async () => {
    for (const commit of ['2', '3'] as const) {
      const scene = await halfway(history(pair('3', '3')))
      for (const _ of [1, 2, 3, 4, 5]) {
        scene.open()
        scene.close()
      }
      await scene.at(commit, unapproved)
      expect(scene.runs()).to.equal('2+2')
    }
  })

  it('A62 D15 is completed although the newest commit is wrong, and that is told all the while', async () => {
    const broken = { ...pair('3', '3'), 'applications/web.yaml': 'name: web\nservices: 7\n' }
    const scene = await halfway(history(broken))
    const { plan, errors } = await scene.at('3')
    expect(scene.runs()).to.equal('2+2')
    expect(plan?.blocked.map(({ application }) => application)).to.deep.equal(['web'])
    expect(errors.map(({ code }) => code)).to.include('application-invalid')
    expect((await scene.pass()).errors.map(({ code }) => code)).to.include('application-invalid')
  })

  it('A62 A65 A42 is completed before the version that may only follow it', async () => {
    const scene = await halfway(history(pair('3', '3', '^2$')))
    await scene.at('3')
    expect(scene.runs()).to.equal('2+2')
    await scene.pass()
    expect(scene.runs()).to.equal('2+2')
    scene.open()
    await scene.pass()
    expect(scene.runs()).to.equal('3+3')
  })

  it('A62 A65 is completed although no way leads to the newer version', async () => {
    const scene = await halfway(history(pair('3', '3', '^7$')))
    scene.open()
    await scene.at('3')
    expect([scene.runs(), told(await scene.pass())]).to.deep.equal([
      '2+2',
      ['api: no-upgrade-path', 'web: no-upgrade-path'],
    ])
  })

  it('A62 is completed before the newer version, also where a service is the same in both', async () => {
    const third = pair('3', '3')
    const text = String(third['applications/web.yaml']).replace('api:3', 'api:2')
    const scene = await halfway(history({ ...third, 'applications/web.yaml': text }))
    await scene.at('3')
    await scene.pass()
    expect(scene.runs()).to.equal('2+2')
    expect([...scene.world.journal.applied('prod').values()].map(({ version }) => version)).to.deep.equal([
      '2',
      '2',
    ])
  })

  it('A65 D18 is put back if a commit takes it back, also if a newer one came after that, and the plan says so', async () => {
    const scene = await halfway(history(pair('1', '1'), { 4: pair('4', '4') }))
    scene.newest('3')
    await desiredState(scene.world, { maxAgeMs: 0, lastGood: true }, new AbortController().signal)
    const back = await scene.at('4')
    expect(told(back)).to.deep.equal([
      'api: puts back what ran before an interrupted rollout',
      'web: window-closed',
    ])
    expect(scene.runs()).to.equal('1+2')
  })

  it('A33 is put back if its deployment failed on another site', async () => {
    for (const kind of ['failed', 'word'] as const) {
      const scene = await halfway(history(pair('3', '3')))
      const { journal } = scene.world
      const own = { environment: 'prod', deployment: 'web', application: 'web', version: '2' }
      const run = journal.beginRun({ ...own, content: '', seed: 1, atMs: 0 })
      const ended = { failed: { site: 'other', reason: 'no' }, word: { word: 'abort', who: 'ann' } } as const
      journal.addFact(
        run.id,
        kind === 'failed' ? { kind, atMs: 1, ...ended.failed } : { kind, atMs: 1, ...ended.word },
      )
      await scene.at('3')
      expect(scene.runs(), kind).to.equal('1+2')
    }
  })

  it('A62 G5 that fails when it is completed is rolled back, and quarantined as what it is', async () => {
    const scene = await halfway(history(pair('3', '3')))
    scene.breaks(/^await-healthy/)
    const { outcome } = await scene.at('3')
    expect([scene.runs(), outcome]).to.deep.equal(['1+2', 'rolled-back'])
    await scene.pass()
    expect(scene.runs()).to.equal('1+2')
  })

  it('A62 G11 is completed although what it requires has a newer version that waits', async () => {
    const commits = Object.fromEntries(
      (['1', '2', '3'] as const).map(tag => [tag, requiring(tag === '3' ? '2' : tag, tag)]),
    )
    for (const more of [undefined, unapproved]) {
      const scene = await queueScene(commits)
      await scene.at('2')
      scene.open()
      await scene.passUntil(/^await-healthy prod.api/)
      if (more === undefined) scene.close()
      await scene.at('3', more)
      await scene.pass(more)
      expect(scene.runs(), JSON.stringify(more)).to.equal('2+2')
    }
  })

  it('A62 has not begun if nothing of it was done: then it waits for the window, whatever came meanwhile', async () => {
    for (const newest of ['2', '3']) {
      const scene = await queueScene(history(pair('3', '3')))
      await scene.at('2')
      scene.open()
      const { outcome } = await scene.passUntil(/^create-container/)
      expect([outcome, scene.world.journal.openAttempts('prod').length]).to.deep.equal(['interrupted', 2])
      scene.close()
      const after = await scene.at(newest)
      expect([scene.runs(), told(after)], `commit ${newest}`).to.deep.equal([
        '1+1',
        ['api: window-closed', 'web: window-closed'],
      ])
      expect(scene.world.journal.openAttempts('prod'), 'none is told as under way').to.deep.equal([])
      scene.open()
      await scene.pass()
      expect(scene.runs(), 'what was approved needs no second word').to.equal(`${newest}+${newest}`)
    }
  })
})

/** `api`, which requires `web`, each with a version and a tag of its own. */
function requiring(api: string, web: string): Files {
  const files = pair(web, web)
  const [own = '', rest = ''] = String(files['applications/web.yaml']).split(/^(?= {2}- name: api)/m)
  return {
    'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'web' }, { name: 'api' }] }),
    'applications/web.yaml': own.replace(
      'image: registry.example.com/web',
      `image: registry.example.com/web:${web}`,
    ),
    'applications/api.yaml': `name: api\nversion: "${api}"\nrequires: {web: "*"}\nservices:\n${rest.replace(/api:./, `api:${api}`)}`,
  }
}
