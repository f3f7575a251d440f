import { expect } from 'chai'
import { engineCall } from '../../support/engine-call.ts'
import type { Files } from '../../support/repository.ts'
import { staysUp } from '../../support/simulated/programs.ts'
import {
  type SimulatedScene,
  type SimulatedSceneOptions,
  simulatedScene,
} from '../../support/simulated/scene.ts'
import type { StatusDocument } from '../../support/tallyman.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** An application whose version 2 has a hook that runs until somebody removes it, which is ignored then. */
function slow(version: string): Files {
  const endless = { execNewPod: { containerName: 'app', command: ['run'] } }
  const strategy = { type: 'Recreate', recreate: { pre: { failurePolicy: 'Ignore', ...endless } } }
  const containers = [{ name: 'app', image: `registry.example.com/slow:${version}` }]
  const services = [{ name: 'slow', containers, ...(version === '1' ? {} : { strategy }) }]
  return { 'applications/slow.json': JSON.stringify({ name: 'slow', version, services }) }
}

const image = { behaves: { programs: { run: () => staysUp() } }, entrypoint: ['run'], cmd: ['serve'] }

/** The services of the environment: `slow` by its specification, and others by their names and tags. */
function manifest(others: Readonly<Record<string, string>>, mode: 'asks' | 'goes' = 'goes'): object {
  const services = Object.entries(others).map(([name, dockerTag]) => ({
    name,
    containers: [{ dockerName: 'registry.example.com/quick', dockerTag }],
  }))
  return { skipConfirmation: mode === 'goes', services: [{ name: 'slow' }, ...services] }
}

/** Version 1 of `slow` and the others run. */
async function runs(
  others: Readonly<Record<string, string>>,
  options: SimulatedSceneOptions = {},
): Promise<SimulatedScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await simulatedScene(options))
  for (const name of ['slow', 'quick']) for (const tag of ['1', '2']) scene.registry.push(name, tag, image)
  await scene.commit(manifest(others), slow('1'))
  const count = 1 + Object.keys(others).length
  await scene.until('all run', ({ sync, applications }) => sync === 'Synced' && applications.length === count)
  stack.move()
  return scene
}

/** Both run, and version 2 of `slow` has begun: its hook runs, and does not end. */
async function underWay(
  options: SimulatedSceneOptions = {},
  mode: 'asks' | 'goes' = 'goes',
): Promise<SimulatedScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await runs({ quick: '1' }, options))
  await scene.commit(manifest({ quick: '1' }, mode), slow('2'))
  if (mode === 'asks') {
    const { waiting } = await scene.until('it asks', status => status.waiting !== undefined)
    await scene.ask(`POST /api/v1/plans/${waiting?.plan}/approve`, {})
  }
  await waitUntil('the hook runs', async () => hookOf(scene)?.state.status === 'running')
  stack.move()
  return scene
}

const hookOf = (scene: SimulatedScene) =>
  scene
    .site('local')
    .containers()
    .find(({ config: { Labels } }) => Labels['tallyman.role'] === 'hook')

async function remove(scene: SimulatedScene, service: string, role = 'app'): Promise<void> {
  const all = scene.site('local').containers()
  const found = all.filter(
    ({ config: { Labels } }) => Labels['tallyman.service'] === service && Labels['tallyman.role'] === role,
  )
  for (const { id } of found)
    await engineCall(scene.site('local').socket, 'DELETE', `/containers/${id}?force=1`)
}

/** Holds back the answer to the next such call until it is opened. */
function holds(
  scene: SimulatedScene,
  call: RegExp,
): { readonly asked: Promise<void>; readonly open: () => void } {
  const [asked, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const heldUntil = () => {
    asked.resolve()
    return open.promise
  }
  scene.site('local').faults.set(call, { heldUntil }, 1)
  return { asked: asked.promise, open: open.resolve }
}

const idsOf = (scene: SimulatedScene, service: string) =>
  scene
    .site('local')
    .containers()
    .filter(({ config: { Labels } }) => Labels['tallyman.service'] === service)
    .map(({ id }) => id)

const lineOf = (scene: SimulatedScene, service: string) =>
  scene.has('local').find(line => line.startsWith(`${service}.`))

/** What `status` says of an application: `Synced Healthy 1`. */
async function told(scene: SimulatedScene, name: string): Promise<string> {
  const [{ applications }]: readonly [StatusDocument] = await scene.ask('GET /api/v1/environments')
  const one = applications.find(({ application }) => application === name)
  return `${one?.sync} ${one?.health} ${one?.running}`
}

describe('an application beside another one that is being changed', () => {
  it('G17 D5 is repaired meanwhile, again and again, and both are as wanted in the end', async () => {
    await using scene = await underWay()
    for (const _ of ['once', 'twice']) {
      await remove(scene, 'quick')
      await waitUntil('it is back', async () => lineOf(scene, 'quick')?.endsWith(' running') === true)
      await waitUntil('it is told', async () => (await told(scene, 'quick')) === 'Synced Healthy 1')
    }
    expect(hookOf(scene)?.state.status).to.equal('running')
    expect(scene.has('local').join(), 'nothing else is touched').to.include('slow:1 running')
    await remove(scene, 'slow', 'hook')
    await scene.until('both are as wanted', ({ sync, errors }) => sync === 'Synced' && errors.length === 0)
    expect(scene.has('local')).to.deep.equal([
      'quick.1 registry.example.com/quick:1 running',
      'slow.1 registry.example.com/slow:2 running',
    ])
  })

  it('G13 G17 is told as it is where drift is only reported', async () => {
    await using scene = await underWay({ config: { drift: 'report' } })
    await remove(scene, 'quick')
    await waitUntil('it is told', async () => (await told(scene, 'quick')) === 'OutOfSync Missing 0')
    expect(lineOf(scene, 'quick')).to.equal(undefined)
    expect(hookOf(scene)?.state.status).to.equal('running')
  })

  it('G17 D3 comes back as it was while another version of it waits for an approval', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    await waitUntil('it waits', async () => (await told(scene, 'quick')).startsWith('OutOfSync'))
    await remove(scene, 'quick')
    await waitUntil('it is back', async () => lineOf(scene, 'quick') === undefined)
    await waitUntil('it is back', async () => lineOf(scene, 'quick')?.endsWith('quick:1 running') === true)
    expect(hookOf(scene)?.state.status).to.equal('running')
  })

  it('G17 G1 is repaired, and what was in place after the look at the site is not put back', async () => {
    await using scene = await runs({ quick: '1' })
    const started = holds(scene, /^POST .*\/start$/)
    await scene.commit(manifest({ quick: '1', young: '1' }), slow('1'))
    await started.asked
    // A pass beside it finds the attempt open, and asks this after that.
    const looked = holds(scene, /^GET \/networks$/)
    await remove(scene, 'quick')
    await looked.asked
    const young = idsOf(scene, 'young')
    started.open()
    await waitUntil('young is in place', async () => (await told(scene, 'young')) === 'Synced Healthy 1')
    looked.open()
    await waitUntil('quick is back', async () => lineOf(scene, 'quick')?.endsWith(' running') === true)
    await scene.until('all is as wanted', ({ sync, errors }) => sync === 'Synced' && errors.length === 0)
    expect(idsOf(scene, 'young')).to.deep.equal(young)
  })

  it('G17 G1 is repaired, and what was created before the look and in place after it is not started again', async () => {
    await using scene = await runs({ quick: '1' })
    const created = holds(scene, /^POST \/containers\/create$/)
    await scene.commit(manifest({ quick: '1', young: '1' }), slow('1'))
    await created.asked
    const looked = holds(scene, /^GET \/containers\/[0-9a-f]{64}\/json$/)
    await remove(scene, 'quick')
    await looked.asked
    const young = idsOf(scene, 'young')
    created.open()
    await waitUntil('young is in place', async () => (await told(scene, 'young')) === 'Synced Healthy 1')
    looked.open()
    await waitUntil('quick is back', async () => lineOf(scene, 'quick')?.endsWith(' running') === true)
    await scene.until('all is as wanted', ({ sync, errors }) => sync === 'Synced' && errors.length === 0)
    expect(idsOf(scene, 'young')).to.deep.equal(young)
    const starts = scene.site('local').calls.filter(call => call.includes('young') && call.endsWith('/start'))
    expect(starts).to.have.lengthOf(1)
  })

  it('G17 G12 is looked after by the next pass if a newer commit takes over meanwhile', async () => {
    await using scene = await underWay()
    await remove(scene, 'quick')
    await scene.commit(manifest({ quick: '2', young: '1' }), slow('2'))
    await waitUntil('both are there', async () => {
      const lines = ['quick', 'young'].map(name => lineOf(scene, name))
      return lines[0]?.endsWith('quick:2 running') === true && lines[1]?.endsWith('quick:1 running') === true
    })
    expect(hookOf(scene)?.state.status).to.equal('running')
  })
})
