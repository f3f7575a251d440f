import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { healthyAfter } from '../../../support/simulated/container/programs.ts'
import type { SimulatedEngine } from '../../../support/simulated/engine.ts'
import { type SimulatedScene, service, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0
const says = (code: string) => (status: StatusDocument) => status.errors.some(error => error.code === code)

const running = (tag: string, ...more: readonly string[]) => [
  ['web.1', `registry.example.com/web:${tag}`, 'running', ...more].join(' '),
]

/** Two sites that run `web` in version 1. The registry has 2, too. */
async function deployed(config: object = {}): Promise<SimulatedScene> {
  const scene = await simulatedScene({ sites: ['east', 'west'], config: { ...config } })
  for (const tag of ['1', '2']) scene.registry.push('web', tag)
  await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
  await scene.until('it runs', isSynced)
  return scene
}

async function stopByHand({ socket, containers }: SimulatedEngine): Promise<void> {
  for (const { id } of containers()) await engineCall(socket, 'POST', `/containers/${id}/stop`)
  expect(containers().map(({ state }) => state.status)).to.deep.equal(['exited'])
}

const both = (scene: SimulatedScene) => [scene.has('east'), scene.has('west')]

describe('an environment on two sites', () => {
  const it = sideBySide()

  it('G2 deploys to both, and a new version after it', async () => {
    await using scene = await deployed()
    expect(both(scene)).to.deep.equal([running('1'), running('1')])
    const commit = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until('it is replaced', status => isSynced(status) && status.revision?.commit === commit)
    expect(both(scene)).to.deep.equal([running('2'), running('2')])
  })

  it('G5 keeps the old version on both where the new one does not become healthy', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    const healthcheck = { test: ['CMD', 'true'], intervalMs: 50, retries: 2 }
    const behaves = { check: healthyAfter(Number.POSITIVE_INFINITY) }
    scene.registry.push('web', '1', { healthcheck })
    scene.registry.push('web', '2', { healthcheck, behaves })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    await scene.until('it runs', isSynced)
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    const old = running('1', 'healthy').join()
    await scene.until(
      'both have the old one, and say why',
      status => says('quarantined')(status) && both(scene).every(lines => lines.join() === old),
    )
  })

  it('D4 waits for one confirmation of both', async () => {
    await using scene = await deployed()
    await scene.commit({ services: [service('web', '2')] })
    const { waiting } = await scene.until('it waits', status => status.waiting !== undefined)
    expect(both(scene)).to.deep.equal([running('1'), running('1')])
    await scene.ask(`POST /api/v1/plans/${waiting?.plan}/approve`, {})
    await scene.until('it is carried out', isSynced)
    expect(both(scene)).to.deep.equal([running('2'), running('2')])
  })

  it('D9 repairs a site on which somebody stopped a container, as soon as the engine tells it', async () => {
    await using scene = await deployed({ poll: '1h' })
    const [web] = scene.site('west').containers()
    await stopByHand(scene.site('west'))
    await waitUntil('it runs again', () => scene.has('west').join() === running('1').join())
    expect(scene.site('west').containers()).to.deep.equal([web])
  })

  it('D9 repairs it at the next poll, if the engine tells nothing', async () => {
    await using scene = await deployed({ poll: '1s' })
    scene.site('west').tellEvents('never')
    await stopByHand(scene.site('west'))
    await waitUntil('it runs again', () => scene.has('west').join() === running('1').join())
  })

  it('G17 goes on with the other site while one is away, and makes up for it', async () => {
    await using scene = await deployed()
    await scene.site('east').off()
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until(
      'west is replaced',
      status => status.unreachable?.[0]?.site === 'east' && scene.has('west').join() === running('2').join(),
    )
    expect(scene.has('east')).to.deep.equal(running('1'))
    await scene.site('east').on()
    await scene.until('east is replaced, too', isSynced)
    expect(both(scene)).to.deep.equal([running('2'), running('2')])
  })

  it('G14 changes nothing on either while the environment is suspended, also after a restart', async () => {
    await using scene = await deployed()
    await scene.ask('POST /api/v1/suspend', { environment: 'prod', reason: 'a sale', who: 'Ada' })
    await scene.restart()
    const commit = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until('it is seen', status => status.revision?.commit === commit)
    expect(both(scene)).to.deep.equal([running('1'), running('1')])
    await scene.ask('POST /api/v1/resume', { environment: 'prod', who: 'Ada' })
    await scene.until('it goes on', isSynced)
    expect(both(scene)).to.deep.equal([running('2'), running('2')])
  })
})
