import { expect } from 'chai'
import { engineCall } from '../../support/engine-call.ts'
import { exits } from '../../support/images.ts'
import { sideBySide } from '../../support/side-by-side.ts'
import { type SimulatedScene, simulatedScene } from '../../support/simulated/scene.ts'
import type { StatusDocument } from '../../support/tallyman.ts'

/** A pod as a file of the repository: an app for each program, whose image has that name. */
const pod = (programs: Readonly<Record<string, readonly string[]>>, more: object = {}) =>
  JSON.stringify({
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: Object.entries(programs).map(([name, exec]) => ({
      name,
      image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
      app: { exec, user: '0', group: '0' },
    })),
    ...more,
  })

const never = { annotations: [{ name: 'tallyman/restart', value: 'never' }] }

const runs = ['sleep', '100000']

async function prepared(config: Readonly<Record<string, unknown>> = {}): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    config: { sandbox: { image: 'registry.example.com/sandbox:1' }, ...config },
  })
  for (const name of ['sandbox', 'tools']) scene.registry.push(name, '1')
  return scene
}

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

describe('pods on simulated engines', () => {
  const it = sideBySide()

  it('G2 X5 cost one list call where nothing has changed, also if apps of them have ended', async () => {
    await using scene = await prepared()
    const engine = scene.site('local')
    await scene.commit(
      { services: [{ name: 'worker' }], skipConfirmation: true },
      { 'applications/worker.json': pod({ first: exits(0), second: exits(0), main: runs }, never) },
    )
    await scene.until('it runs', isSynced)
    await look(scene)
    const before = engine.calls.length
    await look(scene)
    expect(engine.calls.slice(before).filter(call => /^GET \/containers\//.test(call))).to.deep.equal([
      'GET /containers/json',
    ])
  })

  it('X5 C50 are started anew as a whole with their sandbox, also if it was known how their apps had ended', async () => {
    await using scene = await prepared()
    const { socket, containers } = scene.site('local')
    await scene.commit(
      { services: [{ name: 'worker' }], skipConfirmation: true },
      { 'applications/worker.json': pod({ first: exits(0), main: runs }, never) },
    )
    await scene.until('it runs', isSynced)
    await look(scene)
    const startOf = (name: string) =>
      containers().find(({ config: { Labels } }) => Labels['tallyman.container'] === name)?.state.startedAt
    const before = startOf('first')
    const sandbox = containers().find(({ config: { Labels } }) => Labels['tallyman.role'] === 'sandbox')
    await engineCall(socket, 'POST', `/containers/${sandbox?.id}/stop`)
    await scene.until('it runs again', status => isSynced(status) && startOf('first') !== before)
    expect((await look(scene)).applications.map(({ health }) => health)).to.deep.equal(['Healthy'])
  })
})

/** Waits for one more pass that finds nothing to do. */
async function look(scene: SimulatedScene): Promise<StatusDocument> {
  const { lookedAt = '' } = await scene.until('it is quiet', () => true)
  await scene.ask('POST /api/v1/reconcile')
  return scene.until('it has looked again', status => isSynced(status) && (status.lookedAt ?? '') > lookedAt)
}
