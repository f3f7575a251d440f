import { join } from 'node:path'
import { expect } from 'chai'
import { runFacts } from '../../../../lib/journal/fleet/runs.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { bad, image, manifest, slow } from '../../../scenes/applications/slow-and-others.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import type { Files } from '../../../support/git/repository.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const sites = ['a', 'b', 'c'] as const

const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 1s}'
const canary =
  'deploy-to-sites: {canary-sites: {match-site-labels: system/name = a}, canary-continue-by-action: true}'

/** The application `quick`, which its deployment brings to one site after the other. */
function quick(version: string, strategy = oneByOne, hooks: object = {}): Files {
  const containers = [{ name: 'app', image: `registry.example.com/quick:${version}` }]
  return {
    'applications/quick.json': JSON.stringify({
      ...{ name: 'quick', version },
      services: [{ name: 'quick', containers, ...hooks }],
    }),
    'deployments/quick.yaml': [
      'name: quick',
      'application: quick',
      'placement: {all-sites: true}',
      strategy,
    ].join('\n'),
  }
}

const failsAfterwards = {
  strategy: {
    type: 'Recreate',
    recreate: {
      post: { failurePolicy: 'Abort', execNewPod: { containerName: 'app', command: ['fail'] } },
    },
  },
}

/** Version 1 of both runs on three sites. */
async function runs(healthyTime = '0s'): Promise<SimulatedScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await simulatedScene({ sites, config: { healthyTime } }))
  for (const name of ['slow', 'quick']) for (const tag of ['1', '2']) scene.registry.push(name, tag, image)
  scene.registry.push('quick', 'bad', bad)
  await scene.commit(manifest({}), { ...slow('1'), ...quick('1', '') })
  await scene.until(
    'all run',
    ({ sync, deployments }) => sync === 'Synced' && deployments?.[0]?.sites.done === 3,
  )
  stack.move()
  return scene
}

/** What each site has of `quick`: two instances in the middle of a rollout. */
const quickOn = (scene: SimulatedScene) =>
  sites.map(site => {
    const lines = scene.has(site).filter(line => line.startsWith('quick.'))
    return lines.map(line => line.split(':')[1]).join()
  })

/** On how many sites the hook of `slow` runs. */
const hooksOf = (scene: SimulatedScene) =>
  sites.filter(site =>
    scene
      .site(site)
      .containers()
      .some(
        ({ config: { Labels }, state }) => Labels['tallyman.role'] === 'hook' && state.status === 'running',
      ),
  ).length

const statusOf = async (scene: SimulatedScene): Promise<StatusDocument> =>
  (await scene.ask('GET /api/v1/environments'))[0]

describe('a deployment while another application of its sites is being changed', () => {
  it('A32 G17 reaches one site after the other while the hooks of the other application run', async () => {
    await using scene = await runs()
    await scene.commit(manifest({}), { ...slow('2'), ...quick('2') })
    await waitUntil('all have it', async () => quickOn(scene).every(line => line === '2 running'))
    expect(hooksOf(scene)).to.equal(3)
    await waitUntil('it is told', async () => (await statusOf(scene)).deployments?.[0]?.state === 'done')
    expect(hooksOf(scene)).to.equal(3)
  })

  it('A33 G17 ends with a version that fails while the hooks of the other application run', async () => {
    await using scene = await runs('1s')
    await scene.commit(manifest({}), { ...slow('2'), ...quick('bad') })
    await waitUntil('it is told', async () => (await statusOf(scene)).deployments?.[0]?.state === 'aborted')
    expect(hooksOf(scene)).to.equal(3)
    expect(quickOn(scene)).to.deep.equal(['1 running', '1 running', '1 running'])
  })

  it('A33 H30 ends with a version whose post hook failed, and is drawn for nobody else', async () => {
    await using scene = await runs()
    await scene.commit(manifest({}), { ...slow('2'), ...quick('2', oneByOne, failsAfterwards) })
    await waitUntil('it is told', async () => (await statusOf(scene)).deployments?.[0]?.state === 'aborted')
    expect(factsIn(scene).slice(0, 2)).to.deep.equal(['batch', 'failed'])
    expect(quickOn(scene).filter(line => line.startsWith('2'))).to.have.length(1)
    expect(hooksOf(scene)).to.equal(3)
  })

  it('A33 G17 knows that a version was stopped while it proves itself, though it is repaired at once', async () => {
    await using scene = await runs()
    const proving = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 1h}'
    await scene.commit(manifest({}), { ...slow('2'), ...quick('2', proving) })
    const site = await waitUntil('one has it', async () => {
      const place = factsIn(scene).includes('reached') ? quickOn(scene).indexOf('2 running') : -1
      return sites[place]
    })
    const [id] = idsOn(scene, site)
    await engineCall(scene.site(site).socket, 'POST', `/containers/${id}/stop`)
    // Once it runs again, nothing else is kept of that.
    await waitUntil('it is noted', async () => factsIn(scene).join() === 'batch,reached again')
    expect(hooksOf(scene)).to.equal(3)
  })

  it('A33 G5 goes on at a word after that: what had failed before it is tried again, and is no failure since', async () => {
    await using scene = await runs('1s')
    await scene.commit(manifest({}), { ...slow('2'), ...quick('bad') })
    const isAborted = async () => (await statusOf(scene)).deployments?.[0]?.state === 'aborted'
    await waitUntil('it is told', isAborted)
    const before = startsOf(scene)
    await scene.ask('POST /api/v1/resume', { application: 'quick' })
    await waitUntil('it has failed again', async () => startsOf(scene) > before && isAborted())
    expect(failuresOn(scene), 'each try has failed once').to.equal(2)
    expect(hooksOf(scene)).to.equal(3)
  })

  it('X8 A31 begins with its canary again after a rollback without a commit has ended', async () => {
    await using scene = await runs()
    await scene.commit(manifest({}), quick('2'))
    await waitUntil('all have it', async () => quickOn(scene).every(line => line === '2 running'))
    await scene.until('it is done', ({ deployments }) => deployments?.[0]?.state === 'done')
    await scene.commit(manifest({}), { ...slow('2'), ...quick('2', canary) })
    await waitUntil('the hooks run', async () => hooksOf(scene) === 3)
    await scene.ask('POST /api/v1/rollback', { application: 'quick', now: true })
    await waitUntil('all are back', async () => quickOn(scene).every(line => line === '1 running'))
    await scene.ask('POST /api/v1/resume', { application: 'quick' })
    const seen = await waitUntil('the others wait for a word', async () => {
      const [deployment] = (await statusOf(scene)).deployments ?? []
      return deployment?.approve !== undefined && quickOn(scene)
    })
    expect(seen).to.deep.equal(['2 running', '1 running', '1 running'])
    expect(hooksOf(scene)).to.equal(3)
  })
})

/** The containers of `quick` on a site. */
const idsOn = (scene: SimulatedScene, site: string) =>
  scene
    .site(site)
    .containers()
    .flatMap(({ id, config: { Labels } }) => (Labels['tallyman.service'] === 'quick' ? [id] : []))

/** How often anything of `quick` was started. */
const startsOf = (scene: SimulatedScene) =>
  sites.flatMap(site =>
    scene.site(site).calls.filter(call => call.includes('.quick.') && call.endsWith('/start')),
  ).length

/** How often the version of `quick` has failed. */
const failuresOn = (scene: SimulatedScene) => factsIn(scene).filter(kind => kind === 'failed').length

/** What is on record of the run of `quick`, in this order. */
function factsIn(scene: SimulatedScene): readonly string[] {
  const journal = openJournal(join(scene.stateDir, 'tallyman.sqlite'), { readOnly: true })
  try {
    const run = journal.run('prod', 'quick')
    if (run === undefined) return []
    return runFacts(journal, run).map(fact =>
      fact.kind === 'reached' && fact.isRestarted ? 'reached again' : fact.kind,
    )
  } finally {
    journal.close()
  }
}
