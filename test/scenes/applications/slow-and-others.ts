import type { StatusDocument } from '../../support/command/tallyman.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import type { Files } from '../../support/git/repository.ts'
import { exitsWith, staysUp } from '../../support/simulated/container/programs.ts'
import {
  type SimulatedScene,
  type SimulatedSceneOptions,
  simulatedScene,
} from '../../support/simulated/scene.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** An application whose version 2 has a hook that runs until somebody removes it, which is ignored then. */
export function slow(version: string): Files {
  const endless = { execNewPod: { containerName: 'app', command: ['run'] } }
  const strategy = { type: 'Recreate', recreate: { pre: { failurePolicy: 'Ignore', ...endless } } }
  const containers = [{ name: 'app', image: `registry.example.com/slow:${version}` }]
  const services = [{ name: 'slow', containers, ...(version === '1' ? {} : { strategy }) }]
  return { 'applications/slow.json': JSON.stringify({ name: 'slow', version, services }) }
}

/** An image that runs, with a program that fails, and one that fails at once. */
export const image = {
  ...{
    behaves: { programs: { run: () => staysUp(), fail: () => exitsWith(1) } },
    entrypoint: ['run'],
    cmd: ['serve'],
  },
}
export const bad = { ...image, behaves: { programs: { run: () => exitsWith(1) } } }

/** The services of the environment: `slow` by its specification, and others by their names and tags. */
export function manifest(others: Readonly<Record<string, string>>, mode: 'asks' | 'goes' = 'goes'): object {
  const services = Object.entries(others).map(([name, dockerTag]) => ({
    name,
    containers: [{ dockerName: 'registry.example.com/quick', dockerTag }],
  }))
  return { skipConfirmation: mode === 'goes', services: [{ name: 'slow' }, ...services] }
}

/** Version 1 of `slow` and the others run. */
export async function runs(
  others: Readonly<Record<string, string>>,
  options: SimulatedSceneOptions = {},
): Promise<SimulatedScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await simulatedScene(options))
  for (const name of ['slow', 'quick']) for (const tag of ['1', '2']) scene.registry.push(name, tag, image)
  scene.registry.push('quick', 'bad', bad)
  await scene.commit(manifest(others), slow('1'))
  const { sites = ['local'] } = options
  const count = (1 + Object.keys(others).length) * sites.length
  await scene.until('all run', ({ sync, applications }) => sync === 'Synced' && applications.length === count)
  stack.move()
  return scene
}

/** All run, and version 2 of `slow` has begun: its hook runs, and does not end. */
export async function underWay(
  options: SimulatedSceneOptions = {},
  mode: 'asks' | 'goes' = 'goes',
  others: Readonly<Record<string, string>> = { quick: '1' },
): Promise<SimulatedScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await runs(others, options))
  await scene.commit(manifest(others, mode), slow('2'))
  if (mode === 'asks') {
    const { waiting } = await scene.until('it asks', status => status.waiting !== undefined)
    await scene.ask(`POST /api/v1/plans/${waiting?.plan}/approve`, {})
  }
  await waitUntil('the hook runs', async () => hookOf(scene)?.state.status === 'running')
  stack.move()
  return scene
}

export const hookOf = (scene: SimulatedScene) =>
  scene
    .site('local')
    .containers()
    .find(({ config: { Labels } }) => Labels['tallyman.role'] === 'hook')

export async function remove(scene: SimulatedScene, service: string, role = 'app'): Promise<void> {
  const all = scene.site('local').containers()
  const found = all.filter(
    ({ config: { Labels } }) => Labels['tallyman.service'] === service && Labels['tallyman.role'] === role,
  )
  for (const { id } of found)
    await engineCall(scene.site('local').socket, 'DELETE', `/containers/${id}?force=1`)
}

/** Holds back the answer to the next such call until it is opened. */
export function holds(
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

export const idsOf = (scene: SimulatedScene, service: string) =>
  scene
    .site('local')
    .containers()
    .filter(({ config: { Labels } }) => Labels['tallyman.service'] === service)
    .map(({ id }) => id)

export const lineOf = (scene: SimulatedScene, service: string) =>
  scene.has('local').find(line => line.startsWith(`${service}.`))

/** What `status` says of an application: `Synced Healthy 1`. */
export async function told(scene: SimulatedScene, name: string): Promise<string> {
  const [{ applications }]: readonly [StatusDocument] = await scene.ask('GET /api/v1/environments')
  const one = applications.find(({ application }) => application === name)
  return `${one?.sync} ${one?.health} ${one?.running}`
}
