import { expect } from 'chai'
import { messageOf } from '../../../../lib/errors.ts'
import {
  hookOf,
  idsOf,
  image,
  lineOf,
  manifest,
  remove,
  slow,
  told,
  underWay,
} from '../../../scenes/applications/slow-and-others.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import type { SimulatedScene } from '../../../support/simulated/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** What status says by now, while the hook still runs. */
async function seen(
  scene: SimulatedScene,
  what: string,
  check: (status: StatusDocument) => boolean,
): Promise<StatusDocument> {
  let last: StatusDocument | undefined
  const look = async () => {
    const [status]: readonly StatusDocument[] = await scene.ask('GET /api/v1/environments')
    last = status
    return status !== undefined && check(status) && status
  }
  const found = await waitUntil(what, look).catch((cause: unknown) => {
    throw new Error(`${what}: the daemon says ${JSON.stringify(last, undefined, 2)}`, { cause })
  })
  expect(hookOf(scene)?.state.status).to.equal('running')
  return found
}

const approve = (scene: SimulatedScene, plan = '') => scene.ask(`POST /api/v1/plans/${plan}/approve`, {})

const rowOf = ({ applications }: StatusDocument, name: string) =>
  applications.find(({ application }) => application === name)

const hasQuick = (scene: SimulatedScene, version: string) => async () =>
  lineOf(scene, 'quick')?.endsWith(`quick:${version} running`) === true

describe('what is asked of one application while another one is being changed', () => {
  it('G12 D4 a new version waits, is approved, and is carried out meanwhile', async () => {
    await using scene = await underWay({}, 'asks')
    const hook = hookOf(scene)?.id
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const { waiting } = await seen(scene, 'it waits', status => status.waiting !== undefined)
    await approve(scene, waiting?.plan)
    await waitUntil('it is in place', hasQuick(scene, '2'))
    expect(hookOf(scene)?.id, 'the hook is not run again').to.equal(hook)
    const { waiting: left } = await seen(
      scene,
      'nothing waits',
      status => rowOf(status, 'quick')?.sync === 'Synced',
    )
    expect(left).to.equal(undefined)
  })

  it('A65 X18 versions that only follow each other are installed one after the other meanwhile', async () => {
    await using scene = await underWay({ config: { poll: '1h' } }, 'asks')
    scene.registry.push('quick', '3', image)
    const release = (version: string, from?: string) => {
      const containers = [{ name: 'app', image: `registry.example.com/quick:${version}` }]
      const path = { 'version-regexp': from, method: 'stop-and-restart' }
      const way = {
        ...{ name: 'way', version, services: [{ name: 'way', containers }] },
        ...(from === undefined ? {} : { 'upgrade-from': [path] }),
      }
      const quick = {
        name: 'quick',
        containers: [{ dockerName: 'registry.example.com/quick', dockerTag: '1' }],
      }
      const services = [{ name: 'slow' }, quick, { name: 'way' }]
      return scene.commit({ services }, { ...slow('2'), 'applications/way.json': JSON.stringify(way) })
    }
    const waits = async (before: string | undefined) => {
      const status = await seen(scene, 'it waits', ({ waiting }) => (waiting?.plan ?? before) !== before)
      return status.waiting?.plan
    }
    await release('1')
    const first = await waits(undefined)
    await approve(scene, first)
    await waitUntil('it is in place', async () => lineOf(scene, 'way')?.endsWith('quick:1 running') === true)
    await release('2')
    const second = await waits(first)
    await release('3', '^2$')
    await approve(scene, await waits(second))
    await waitUntil('it is in place', async () => lineOf(scene, 'way')?.endsWith('quick:3 running') === true)
    expect(hookOf(scene)?.state.status).to.equal('running')
  })

  it('D4 G12 what has begun goes on to its end where somebody declines the next version of it', async () => {
    await using scene = await underWay({}, 'asks')
    scene.registry.push('slow', '3', image)
    const hook = hookOf(scene)?.id
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('3'))
    const { waiting } = await seen(scene, 'it waits', status => status.waiting !== undefined)
    await scene.ask(`POST /api/v1/plans/${waiting?.plan}/discard`, {})
    const declined = await seen(scene, 'it is declined', status => status.declined !== undefined)
    expect(declined.running?.changes).to.deep.equal(['local/slow/slow'])
    await scene.ask('POST /api/v1/reconcile')
    await seen(
      scene,
      'it still goes on',
      ({ running }) => running?.newer?.reason === 'local/slow/slow was declined in it',
    )
    await scene.restart()
    await seen(
      scene,
      'another process goes on with it',
      ({ running }) => running?.step?.startsWith('run-to-end') === true,
    )
    expect(hookOf(scene)?.id, 'the hook is not run again').to.equal(hook)
    const after = await seen(scene, 'it is told', ({ outcome }) => outcome === 'declined')
    expect(after.waiting, 'nobody is asked again').to.equal(undefined)
    expect(lineOf(scene, 'quick')).to.match(/quick:1 running$/)
    await remove(scene, 'slow', 'hook')
    await waitUntil('it is in place', async () => lineOf(scene, 'slow')?.endsWith('slow:2 running') === true)
  })

  it('D3 D4 a removal waits, is approved meanwhile, and comes after the other one', async () => {
    await using scene = await underWay()
    await scene.commit(manifest({}), slow('2'))
    const { waiting } = await seen(scene, 'it waits', status => status.waiting !== undefined)
    await approve(scene, waiting?.plan)
    await seen(scene, 'it is under way', ({ running }) => {
      const { changes = [], step = '' } = running ?? {}
      return changes.includes('local/quick/quick') && step.startsWith('run-to-end')
    })
    await remove(scene, 'slow', 'hook')
    await scene.until(
      'it is gone',
      ({ sync, applications }) => sync === 'Synced' && applications.length === 1,
    )
    expect(scene.has('local')).to.deep.equal(['slow.1 registry.example.com/slow:2 running'])
  })

  it('D4 stays declined whatever is asked of the application that is being changed', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const { waiting } = await seen(scene, 'it waits', status => status.waiting !== undefined)
    await scene.ask(`POST /api/v1/plans/${waiting?.plan}/discard`, {})
    await seen(scene, 'it is declined', ({ declined }) => declined?.plan === waiting?.plan)
    for (const word of ['resume', 'retry']) {
      await scene.ask(`POST /api/v1/${word}`, { application: 'slow' })
      const status = await seen(scene, 'that is known', ({ outcome }) => outcome === 'declined')
      expect(status.declined?.plan, word).to.equal(waiting?.plan)
      expect(status.waiting, word).to.equal(undefined)
    }
    const again = await scene.ask(`POST /api/v1/plans/${waiting?.plan}/discard`, {}).catch(messageOf)
    expect(again).to.include(' was discarded by ').and.not.include('carried out')
    await scene.ask('POST /api/v1/retry', { application: 'quick' })
    await seen(scene, 'it waits again', status => status.waiting?.plan === waiting?.plan)
  })

  it('X8 G12 a rollback without a commit waits, is approved, and is carried out meanwhile', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    const first = await seen(scene, 'it waits', status => status.waiting !== undefined)
    await approve(scene, first.waiting?.plan)
    await seen(scene, 'it is in place', status => rowOf(status, 'quick')?.version === '2')
    await scene.ask('POST /api/v1/rollback', { application: 'quick', now: true })
    const second = await seen(scene, 'it waits', status => status.waiting !== undefined)
    expect(rowOf(second, 'quick')?.reason).not.to.include('could not be read')
    await approve(scene, second.waiting?.plan)
    await waitUntil('it is back', hasQuick(scene, '1'))
    expect(hookOf(scene)?.state.status).to.equal('running')
  })

  it('X8 G17 a rollback without a commit waits, also where something else is repaired meanwhile', async () => {
    await using scene = await underWay({}, 'asks', { quick: '1', other: '1' })
    await scene.commit(manifest({ quick: '2', other: '1' }, 'asks'), slow('2'))
    const first = await seen(scene, 'it waits', status => status.waiting !== undefined)
    await approve(scene, first.waiting?.plan)
    await seen(scene, 'it is in place', status => rowOf(status, 'quick')?.version === '2')
    await scene.ask('POST /api/v1/rollback', { application: 'quick', now: true })
    await seen(scene, 'it waits', status => status.waiting !== undefined)
    const before = idsOf(scene, 'other').join()
    await remove(scene, 'other')
    const isRepaired = async () =>
      idsOf(scene, 'other').length === 1 && idsOf(scene, 'other').join() !== before
    await waitUntil('it is repaired', isRepaired)
    const after = await seen(scene, 'that is told', status => rowOf(status, 'other')?.health === 'Healthy')
    const { version, wantedVersion, code } = rowOf(after, 'quick') ?? {}
    expect({ version, wantedVersion, code }).to.deep.equal({
      version: '2',
      wantedVersion: '1',
      code: undefined,
    })
    expect(after.errors).to.deep.equal([])
  })

  it('G13 G5 what fails is told meanwhile, is tried again at a word, and is over once a commit corrects it', async () => {
    await using scene = await underWay({ config: { healthyTime: '1s' } })
    await scene.commit(manifest({ quick: 'bad' }), slow('2'))
    const isBack = ({ running }: StatusDocument) => running?.changes.join() === 'local/slow/slow'
    const hasFailed = (status: StatusDocument) =>
      isBack(status) && rowOf(status, 'quick')?.code === 'quarantined'
    const failed = await seen(scene, 'it failed', hasFailed)
    expect(failed.errors.map(({ code, resource }) => `${code} ${resource}`)).to.deep.equal([
      'quarantined local/quick/quick',
    ])
    expect(rowOf(failed, 'quick')).to.include({ version: '1', running: 1 })
    const before = startsOf(scene)
    await scene.ask('POST /api/v1/retry', { application: 'quick' })
    await waitUntil('it is tried again', async () => startsOf(scene) > before)
    await seen(scene, 'it failed again', hasFailed)
    await scene.commit(manifest({ quick: '2' }), slow('2'))
    await seen(
      scene,
      'it is corrected',
      status => status.errors.length === 0 && rowOf(status, 'quick')?.sync === 'Synced',
    )
    expect(await told(scene, 'quick')).to.equal('Synced Healthy 1')
  })
})

describe('what is told of an application while it is being changed', () => {
  it('G13 G17 nothing runs of it any more where somebody removed that', async () => {
    await using scene = await underWay()
    await seen(scene, 'it runs', status => rowOf(status, 'slow')?.running === 1)
    await remove(scene, 'slow')
    const status = await seen(scene, 'it is told', status => rowOf(status, 'slow')?.running === 0)
    const { health, version, wantedVersion, reason } = rowOf(status, 'slow') ?? {}
    expect({ health, version, wantedVersion, reason }).to.deep.equal({
      ...{ health: 'Missing', version: '1', wantedVersion: '2' },
      reason: 'the rollout of version 2 has begun',
    })
  })

  it('G13 G14 it goes on once it is resumed, where a process ended in the middle of it', async () => {
    await using scene = await underWay()
    await scene.ask('POST /api/v1/suspend', { reason: 'night' })
    await scene.restart()
    const halted = await seen(scene, 'it is suspended', status => rowOf(status, 'slow')?.code === 'suspended')
    expect(rowOf(halted, 'slow')?.reason).to.equal(
      'night; the rollout of version 2 had begun, and goes on after that',
    )
    await scene.ask('POST /api/v1/resume', {})
    const { suspensions } = await seen(
      scene,
      'it goes on',
      status => rowOf(status, 'slow')?.code === undefined,
    )
    expect(suspensions).to.deep.equal([])
    expect(rowOf(await seen(scene, 'it is told', () => true), 'slow')?.reason).to.equal(
      'the rollout of version 2 has begun',
    )
  })
})

/** How often anything of `quick` was started. */
const startsOf = (scene: SimulatedScene) =>
  scene.site('local').calls.filter(call => call.includes('.quick.') && call.endsWith('/start')).length
