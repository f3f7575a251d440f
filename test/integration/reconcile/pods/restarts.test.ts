import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { exits } from '../../../support/images/images.ts'
import type { Container } from '../../../support/simulated/container/container.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { Refusal } from '../../../support/simulated/server/refusal.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'

const runs = ['sleep', '100000']

/** A pod of these apps, whose sandbox holds a directory for all of them. */
function pod(programs: Readonly<Record<string, readonly string[]>>): string {
  return JSON.stringify({
    ...{ acVersion: '0.8.11', acKind: 'PodManifest' },
    apps: Object.entries(programs).map(([name, exec]) => ({
      name,
      image: { name, labels: [{ name: 'version', value: '1' }] },
      app: { exec, user: '0', group: '0' },
      mounts: [{ volume: 'work', path: '/work' }],
    })),
    volumes: [{ name: 'work', kind: 'empty' }],
    annotations: [{ name: 'tallyman/restart', value: 'never' }],
  })
}

/** The pod runs, `main` with a file of its own and one in the shared directory, and `once` has run to its end. */
async function prepared(): Promise<SimulatedScene> {
  const scene = await simulatedScene({ config: { sandbox: { image: 'registry.example.com/sandbox:1' } } })
  for (const name of ['sandbox', 'main', 'other', 'once']) scene.registry.push(name, '1')
  await scene.commit(
    { services: [{ name: 'worker' }], skipConfirmation: true },
    { 'applications/worker.json': pod({ main: runs, other: runs, once: exits(0) }) },
  )
  await scene.until('it runs', isSynced)
  for (const path of ['/left', '/work/left'])
    partOf(scene, 'main').files.put(path, {
      ...{ kind: 'file', mode: 0o644, uid: 0, gid: 0 },
      content: Buffer.from('x'),
    })
  return scene
}

function partOf(scene: SimulatedScene, name: string): Container {
  const found = scene
    .site('local')
    .containers()
    .find(({ config: { Labels } }) => Labels['tallyman.container'] === name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

async function stop(scene: SimulatedScene, name: string): Promise<void> {
  await engineCall(scene.site('local').socket, 'POST', `/containers/${partOf(scene, name).id}/stop?t=0`)
}

const namesOfAll = ['sandbox', 'main', 'other', 'once']

/** Which of its containers are others than before. */
function renewed(scene: SimulatedScene, before: readonly string[]): readonly string[] {
  return namesOfAll.filter((name, index) => partOf(scene, name).id !== before[index])
}

describe('apps of pods that are started again on simulated engines', () => {
  const it = sideBySide()

  it('C50 have a clean file system, and what the pod shares is still there', async () => {
    await using scene = await prepared()
    const before = namesOfAll.map(name => partOf(scene, name).id)
    await stop(scene, 'main')
    await scene.until('it runs again', status => isSynced(status) && isUp(scene, 'main'))
    expect(renewed(scene, before)).to.deep.equal(['main'])
    expect(partOf(scene, 'main').files.at('/left')).to.equal(undefined)
    expect(partOf(scene, 'main').files.at('/work/left')).to.include({ kind: 'file' })
  })

  it('C50 X5 all have one if their sandbox had died, and that goes on as the same', async () => {
    await using scene = await prepared()
    const before = namesOfAll.map(name => partOf(scene, name).id)
    await stop(scene, 'sandbox')
    await scene.until('it runs again', status => isSynced(status) && isUp(scene, 'sandbox', 'main', 'other'))
    expect(renewed(scene, before)).to.deep.equal(['main', 'other', 'once'])
    expect(partOf(scene, 'main').files.at('/work/left')).to.include({ kind: 'file' })
  })

  it('C50 G1 stay as they are while their image is gone and no registry answers, and are made anew then', async () => {
    await using scene = await prepared()
    const { socket } = scene.site('local')
    const before = namesOfAll.map(name => partOf(scene, name).id)
    const { digest } = partOf(scene, 'main').image
    scene.registry.refuses(new Refusal(503, 'the registry is away'))
    await engineCall(socket, 'DELETE', `/images/registry.example.com/main@${digest}?force=1`)
    await stop(scene, 'main')
    await scene.until('it is refused', ({ errors }) => errors.length > 0)
    expect(renewed(scene, before)).to.deep.equal([])
    expect(partOf(scene, 'main').files.at('/left')).to.include({ kind: 'file' })
    scene.registry.refuses(undefined)
    await scene.ask('POST /api/v1/reconcile')
    await scene.until('it runs again', status => isSynced(status) && isUp(scene, 'main'))
    expect(renewed(scene, before)).to.deep.equal(['main'])
  })

  function isUp(scene: SimulatedScene, ...names: readonly string[]): boolean {
    return names.every(name => partOf(scene, name).state.status === 'running')
  }
})
