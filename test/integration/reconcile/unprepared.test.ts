import { expect } from 'chai'
import { sideBySide } from '../../support/side-by-side.ts'
import { type SimulatedScene, simulatedScene } from '../../support/simulated/scene.ts'
import type { StatusDocument } from '../../support/tallyman.ts'

/** A pod of one app, of an image that has no user but root. */
function podOf(user: string): string {
  return JSON.stringify({
    ...{ acVersion: '0.8.11', acKind: 'PodManifest' },
    apps: [
      {
        name: 'main',
        image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
        app: { exec: ['sleep', '100000'], user, group: '0' },
      },
    ],
  })
}

const manifest = { services: [{ name: 'worker' }] }
const filesOf = (user: string) => ({ 'applications/worker.json': podOf(user) })

async function prepared(): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    config: { sandbox: { image: 'registry.example.com/sandbox:1' }, poll: '1h' },
  })
  for (const name of ['sandbox', 'tools']) scene.registry.push(name, '1')
  return scene
}

const fails = ({ errors }: StatusDocument) => errors.some(({ code }) => code === 'image-lacking')
const isSynced = ({ sync }: StatusDocument) => sync === 'Synced'

async function approve(scene: SimulatedScene): Promise<void> {
  const { waiting } = await scene.until('it waits', ({ outcome }) => outcome === 'needs-confirmation')
  await scene.ask(`POST /api/v1/plans/${waiting?.plan}/approve`, { who: 'kim' })
}

describe('a release that fails before anything is touched', () => {
  const it = sideBySide()

  it('G1 D4 D18 is taken over by a commit that corrects it, which is asked about', async () => {
    await using scene = await prepared()
    await scene.commit(manifest, filesOf('nemo'))
    await approve(scene)
    await scene.until('it fails', fails)
    await scene.commit(manifest, filesOf('root'))
    await approve(scene)
    const { errors } = await scene.until('the correction runs', isSynced)
    expect(errors).to.deep.equal([])
  })

  it('G1 D4 D18 leaves what ran before, which a commit goes back to without a question', async () => {
    await using scene = await prepared()
    await scene.commit(manifest, filesOf('root'))
    await approve(scene)
    await scene.until('it runs', isSynced)
    const before = scene.has('local')
    await scene.commit(manifest, filesOf('nemo'))
    await approve(scene)
    await scene.until('it fails', fails)
    await scene.commit(manifest, filesOf('root'))
    await scene.until('nothing is left of it', status => isSynced(status) && status.errors.length === 0)
    expect(scene.has('local')).to.deep.equal(before)
  })
})
