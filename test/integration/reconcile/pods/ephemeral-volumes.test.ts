import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import type { Files } from '../../../support/git/repository.ts'
import type { Container } from '../../../support/simulated/container/container.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'

/** Two containers that share an empty directory, `/work`: as a pod, and as an application specification. */
const applications: Readonly<Record<string, Files>> = {
  'a pod': {
    'applications/worker.json': JSON.stringify({
      ...{ acVersion: '0.8.11', acKind: 'PodManifest' },
      apps: ['main', 'side'].map(name => ({
        name,
        image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
        app: { exec: ['sleep', '100000'], user: '0', group: '0' },
        mounts: [{ volume: 'work', path: '/work' }],
      })),
      volumes: [{ name: 'work', kind: 'empty' }],
    }),
  },
  'an application': {
    'applications/worker.json': JSON.stringify({
      name: 'worker',
      services: [
        {
          name: 'worker',
          containers: ['main', 'side'].map(name => ({
            ...{ name, image: 'registry.example.com/tools:1' },
            mounts: [{ 'volume-name': 'work', 'mount-path': '/work' }],
          })),
          volumes: [{ name: 'work', 'ephemeral-volume': {} }],
        },
      ],
    }),
  },
}

const isSynced = ({ sync }: StatusDocument) => sync === 'Synced'

/** It runs, and has written into its volume. */
async function prepared(files: Files): Promise<SimulatedScene> {
  const scene = await simulatedScene({ config: { sandbox: { image: 'registry.example.com/sandbox:1' } } })
  for (const name of ['sandbox', 'tools']) scene.registry.push(name, '1')
  await scene.commit({ services: [{ name: 'worker' }], skipConfirmation: true }, files)
  await scene.until('it runs', status => isSynced(status) && partsOf(scene).length === 3)
  write(scene)
  return scene
}

function write(scene: SimulatedScene): void {
  partOf(scene, 'main').files.put('/work/left', {
    ...{ kind: 'file', mode: 0o644, uid: 0, gid: 0 },
    content: Buffer.from('x'),
  })
}

const partsOf = (scene: SimulatedScene): readonly Container[] => scene.site('local').containers()

function partOf(scene: SimulatedScene, name: string): Container {
  const found = partsOf(scene).find(({ config: { Labels } }) => Labels['tallyman.container'] === name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

/** Removes containers as a person does, and waits until the instance is there anew. */
async function removed(scene: SimulatedScene, ...names: readonly string[]): Promise<void> {
  await removeAt(scene, ...names)
  await isMadeAnew(scene)
}

async function removeAt(scene: SimulatedScene, ...names: readonly string[]): Promise<void> {
  const { socket } = scene.site('local')
  for (const { id } of names.map(name => partOf(scene, name)))
    await engineCall(socket, 'DELETE', `/containers/${id}?force=1`)
}

async function isMadeAnew(scene: SimulatedScene): Promise<void> {
  await scene.until(
    'it is made anew',
    status => isSynced(status) && partsOf(scene).length === 3 && errorsOf(status).length === 0,
  )
}

const errorsOf = ({ errors }: StatusDocument) => errors

/** The names of its volumes, without what differs from one run to the other. */
async function volumesOf(scene: SimulatedScene): Promise<readonly string[]> {
  const shown = await shownVolumes(scene)
  return shown.map(({ Name }) => Name.replace(/\.[0-9a-f]{8}\./, '.H.')).sort()
}

type Shown = { readonly Name: string; readonly Labels: Readonly<Record<string, string>> }

/** The volumes of the engine, but for those that say who writes. */
async function shownVolumes(scene: SimulatedScene): Promise<readonly [Shown, ...Shown[]]> {
  const { body } = await engineCall(scene.site('local').socket, 'GET', '/volumes')
  const { Volumes }: { readonly Volumes: readonly Shown[] } = JSON.parse(body.toString())
  const [one, ...others] = Volumes.filter(({ Name }) => !Name.startsWith('tallyman-claim'))
  if (one === undefined) throw new Error('there is no volume')
  return [one, ...others]
}

for (const [what, files] of Object.entries(applications))
  describe(`an ephemeral volume of ${what}`, () => {
    const it = sideBySide()

    it('A48 C50 goes when somebody removes its sandbox, and is new with the next instance of its name', async () => {
      await using scene = await prepared(files)
      await removed(scene, 'sandbox')
      expect(await volumesOf(scene)).to.deep.equal(['prod.worker.2.H.work'])
      write(scene)
      await removed(scene, 'sandbox')
      expect(await volumesOf(scene)).to.deep.equal(['prod.worker.1.H.work'])
      expect(partOf(scene, 'main').files.at('/work/left')).to.equal(undefined)
    })

    it('A48 C50 is new if somebody removes all that had it', async () => {
      await using scene = await prepared(files)
      await removed(scene, 'sandbox')
      write(scene)
      await removed(scene, 'main', 'side', 'sandbox')
      expect(await volumesOf(scene)).to.deep.equal(['prod.worker.1.H.work'])
      expect(partOf(scene, 'main').files.at('/work/left')).to.equal(undefined)
    })

    it('A48 goes once a daemon that starts sees that nothing has it, and a persistent one stays', async () => {
      await using scene = await prepared(files)
      const { socket } = scene.site('local')
      const [{ Labels }] = await shownVolumes(scene)
      const { 'tallyman.ephemeral': _, ...own } = Labels
      const instance = 'prod.gone.1.0123abcd'
      const ofGone = { ...Labels, 'tallyman.ephemeral': instance }
      await engineCall(socket, 'POST', '/volumes/create', { Name: `${instance}.work`, Labels: ofGone })
      await engineCall(socket, 'POST', '/volumes/create', { Name: 'prod.gone.data', Labels: own })
      await scene.restart()
      await scene.until('it is seen', status => isSynced(status) && errorsOf(status).length === 0)
      expect(await volumesOf(scene)).to.deep.equal(['prod.gone.data', 'prod.worker.1.H.work'])
    })

    it('A48 G10 D3 is no volume that somebody made with its labels, under a name that none of them has', async () => {
      await using scene = await prepared(files)
      const { socket } = scene.site('local')
      const [{ Labels }] = await shownVolumes(scene)
      await engineCall(socket, 'POST', '/volumes/create', { Name: 'mine', Labels })
      await scene.restart()
      await scene.until('it is seen', status => isSynced(status) && errorsOf(status).length === 0)
      expect(await volumesOf(scene)).to.deep.equal(['mine', 'prod.worker.1.H.work'])
    })

    it('A48 G10 is not taken from somebody else who has a volume of its name', async () => {
      await using scene = await prepared(files)
      const name = (partOf(scene, 'main').mounts[0]?.source ?? '').replace('.1.', '.2.')
      await engineCall(scene.site('local').socket, 'POST', '/volumes/create', { Name: name })
      await removeAt(scene, 'sandbox')
      const { errors } = await scene.until('it is refused', status => errorsOf(status).length > 0)
      expect(errors.map(({ code }) => code)).to.deep.equal(['name-taken'])
    })
  })

/** Gets a file of its specification and a secret, each in a directory. */
const withFiles: Files = {
  'applications/worker.json': JSON.stringify({
    name: 'worker',
    services: [
      {
        name: 'worker',
        containers: [
          {
            ...{ name: 'main', image: 'registry.example.com/tools:1' },
            mounts: ['keys', 'settings'].map(name => ({ 'volume-name': name, 'mount-path': `/${name}` })),
          },
        ],
        volumes: [
          { name: 'keys', secret: { items: [{ name: 'key', secret: 'worker/key' }] } },
          { name: 'settings', 'config-map': { items: [{ name: 'mode', data: 'fast' }] } },
        ],
      },
    ],
  }),
}

describe('the files of secrets and config maps', () => {
  it('A48 G16 D3 go when somebody removes the container that had them, and nobody is asked', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-secrets-'))
    await mkdir(join(place.path, 'worker'))
    await writeFile(join(place.path, 'worker', 'key'), 'hunter22')
    await using scene = await simulatedScene({ config: { secrets: { directory: place.path } } })
    scene.registry.push('tools', '1')
    await scene.commit({ services: [{ name: 'worker' }], skipConfirmation: true }, withFiles)
    await scene.until('it runs', status => isSynced(status) && partsOf(scene).length === 1)
    await scene.commit({ services: [{ name: 'worker' }] }, withFiles)
    const before = await volumesOf(scene)
    await removeAt(scene, 'main')
    await scene.until(
      'it is made anew, and nothing is left to do',
      status => isSynced(status) && partsOf(scene).length === 1 && errorsOf(status).length === 0,
    )
    const after = await volumesOf(scene)
    expect([before.length, after.length], String(after)).to.deep.equal([2, 2])
    expect(after.filter(name => before.includes(name))).to.deep.equal([])
  })
})
