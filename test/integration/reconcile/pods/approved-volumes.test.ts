import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** A database with one volume, which is made with these options. */
const database = (options = '') => ({
  'applications/shop.yaml': `
name: shop
services:
  - name: db
    volumes:
      - name: data
        persistent-volume: {${options}}
    containers:
      - name: db
        image: registry.example.com/db:1
        mounts: [{volume-name: data, mount-path: /data}]
`,
})
const share = 'driver_opts: {type: nfs, o: "addr=10.0.0.1", device: ":/payroll"}'
const shared = { type: 'nfs', o: 'addr=10.0.0.1', device: ':/payroll' }
const manifest = { services: [{ name: 'shop' }] }

async function prepared(): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    config: { poll: '1h', policy: { remoteVolumes: ['10.0.0.1'] } },
  })
  scene.registry.push('db', '1')
  return scene
}

const isWaiting = ({ outcome }: StatusDocument) => outcome === 'needs-confirmation'
const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

/** Approves what waits, and returns the reasons of it. */
async function approve(scene: SimulatedScene): Promise<readonly string[]> {
  const { waiting } = await scene.until('it waits', isWaiting)
  const { changes } = await scene.ask('GET /api/v1/environments/prod/plan')
  await scene.ask(`POST /api/v1/plans/${waiting?.plan}/approve`, { who: 'kim' })
  return changes.map(({ reason }: { readonly reason: string }) => reason)
}

/** Commits other options, which make no difference to what runs. */
async function nothingDiffers(scene: SimulatedScene, files: ReturnType<typeof database>): Promise<void> {
  const commit = await scene.commit(manifest, files)
  await scene.until('it is read', one => isSynced(one) && one.revision?.commit === commit)
}

/** The options of the volume; undefined: there is none. */
async function optionsOf(scene: SimulatedScene): Promise<object | null | undefined> {
  const { status, body } = await engineCall(scene.site('local').socket, 'GET', '/volumes/prod.shop.data')
  return status === 404 ? undefined : JSON.parse(body.toString()).Options
}

/** Removes the container and the volume, as somebody may do by hand. */
async function lose(scene: SimulatedScene): Promise<void> {
  const { socket, containers } = scene.site('local')
  for (const { id } of containers()) await engineCall(socket, 'DELETE', `/containers/${id}?force=1`)
  const { status } = await engineCall(socket, 'DELETE', '/volumes/prod.shop.data')
  expect(status).to.equal(204)
}

describe('an approval of something with a persistent volume', () => {
  const it = sideBySide()

  it('D4 D18 G23 covers how that is made: with other options it is asked about again before anything begins', async () => {
    await using scene = await prepared()
    const allow = scene.site('local').faults.set(/POST \/images\/create/, { status: 500, message: 'not now' })
    await scene.commit(manifest, database())
    await approve(scene)
    await scene.until('it cannot be pulled', ({ errors }) => errors.length > 0)
    await scene.commit(manifest, database(share))
    await scene.until('it waits', isWaiting)
    // Not before: it is tried again by and by, and the commit before was approved.
    allow()
    expect(scene.has('local')).to.deep.equal([])
    expect(await optionsOf(scene)).to.equal(undefined)
    await approve(scene)
    await scene.until('it runs', isSynced)
    expect(await optionsOf(scene)).to.deep.equal(shared)
  })

  it('D4 D9 G23 covers no repair that makes it otherwise, and covers one that makes it as it was', async () => {
    await using scene = await prepared()
    await scene.commit(manifest, database())
    await approve(scene)
    await scene.until('it runs', isSynced)
    await lose(scene)
    await waitUntil('it is repaired', async () => (await optionsOf(scene)) === null)
    await nothingDiffers(scene, database(share))
    await lose(scene)
    expect(await approve(scene)).to.deep.equal([
      'instances missing; made otherwise than before: volume prod.shop.data',
    ])
    await scene.until('it runs', isSynced)
    expect(await optionsOf(scene)).to.deep.equal(shared)
    await lose(scene)
    await waitUntil('it is repaired as it was approved', async () => (await optionsOf(scene)) !== undefined)
    expect(await optionsOf(scene)).to.deep.equal(shared)
    await scene.until('it runs again', isSynced)
    await nothingDiffers(scene, database())
    await lose(scene)
    await scene.until('a plain one in its place is asked about, too', isWaiting)
    expect(await optionsOf(scene)).to.equal(undefined)
  })

  it('D4 D9 covers a repair after a restart, too', async () => {
    await using scene = await prepared()
    await scene.commit(manifest, database(share))
    await approve(scene)
    await scene.until('it runs', isSynced)
    await scene.restart()
    await lose(scene)
    await waitUntil('it is repaired', async () => (await optionsOf(scene)) !== undefined)
    expect(await optionsOf(scene)).to.deep.equal(shared)
  })
})
