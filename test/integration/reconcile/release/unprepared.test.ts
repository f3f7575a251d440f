import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'

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

const isOf = ({ code }: { readonly code: string }) => code === 'image-lacking' || code === 'quarantined'
const fails = ({ errors }: StatusDocument) => errors.some(isOf)
const isSynced = ({ sync }: StatusDocument) => sync === 'Synced'

/** How often the engine was asked for a container that looks into an image. */
function looksAt(scene: SimulatedScene): number {
  return scene.site('local').calls.filter(call => call.includes('.look.')).length
}

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

  it('G1 D4 is not tried again by itself if only a change can help, and is with a retry', async () => {
    await using scene = await prepared()
    await scene.commit(manifest, filesOf('nemo'))
    await approve(scene)
    const { errors } = await scene.until('it fails', fails)
    expect(errors.map(({ retry }) => retry)).to.deep.equal(['never'])
    const made = looksAt(scene)
    await scene.ask('POST /api/v1/reconcile')
    const later = await scene.until('it waits', ({ errors }) => errors[0]?.code === 'quarantined')
    expect(later.errors.map(({ code, retry }) => [code, retry])).to.deep.equal([['quarantined', 'never']])
    expect(looksAt(scene)).to.equal(made)
    await scene.ask('POST /api/v1/retry', { who: 'kim' })
    await scene.until('it fails again', () => looksAt(scene) > made)
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
