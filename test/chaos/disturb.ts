import { stringify } from 'yaml'
import { createScene, type Scene } from '../scenes/scene.ts'
import type { Daemon } from '../support/command/tallyman.ts'
import type { OwnEngine } from '../support/engine/dockerd.ts'
import { engineCall } from '../support/engine/engine-call.ts'
import { type GitServer, startGitServer } from '../support/git/git-server.ts'
import { hangsAfterMs } from '../support/time/hangs.ts'
import { waitUntil } from '../support/time/wait-until.ts'
import { chance, type Random } from './chance.ts'

/** What was done, and how it ended: in the wanted state after so long, or with a complaint. */
export type Outcome = {
  readonly steps: readonly string[]
  readonly convergedMs: number
  readonly complaint?: string
}

/** Deploys, disturbs as the seed says, then commits a good state and waits until exactly that runs. */
export async function disturb(seed: number, count: number, engine: OwnEngine): Promise<Outcome> {
  const random = chance(seed)
  const steps: string[] = []
  await using server = await startGitServer()
  const scene = await createScene({ server, dockerSocket: engine.socket })
  await using stack = new AsyncDisposableStack()
  // Another lane may be restarting the engine just then.
  stack.defer(async () => {
    await waitUntil('what the seed made is removed', () => isGone(scene))
  })
  await scene.push('app', '1')
  await commit(scene, { web: 1, db: 1, api: 1 })
  const world: World = {
    scene,
    server,
    engine,
    daemon: await scene.tallyman.daemon(),
    versions: { web: 1, db: 1, api: 1 },
  }
  try {
    await world.daemon.until('it is deployed', ({ sync }) => sync === 'Synced')
    for (let step = 0; step < count; step += 1) {
      const [name, act] = random.of(Object.entries(acts))
      steps.push(`${name} ${(await act(world, random).catch((error: Error) => `(${error.message})`)) ?? ''}`)
      await pause(random.below(1_500))
    }
    server.fail = undefined
    world.daemon = await running(world)
    const good = { web: count + 100, db: count + 100, api: count + 100 }
    await commit(scene, good)
    const begunMs = performance.now()
    await waitUntil('what is written runs, and nothing else', () =>
      isAsWanted(world, good).catch(() => false),
    )
    const convergedMs = performance.now() - begunMs
    const log = world.daemon.said().stderr
    return {
      steps,
      convergedMs,
      ...(/\(internal\)|"internal"/.test(log) ? { complaint: `internal: ${log}` } : {}),
    }
  } catch (error) {
    const listed = await scene.containers().catch(() => [])
    const there = listed.map(
      ({ service, state, labels }) => `${service} ${state} ${labels['tallyman.container']}`,
    )
    const status = JSON.stringify(await world.daemon.status().catch(String))
    return {
      steps,
      convergedMs: hangsAfterMs,
      complaint: `${String(error)}\n    there: ${there.join(', ')}\n    status: ${status}`,
    }
  } finally {
    await world.daemon.stop()
  }
}

type Versions = { readonly web: number; readonly db: number; readonly api: number }

type World = {
  readonly scene: Scene
  readonly server: GitServer
  readonly engine: OwnEngine
  daemon: Daemon
  versions: Versions
}

/** What may happen; each returns what it did it to. */
const acts: Readonly<Record<string, (world: World, random: Random) => Promise<string>>> = {
  'new version of': (world, random) => release(world, random, {}),
  'broken version of': (world, random) => release(world, random, { isBroken: true }),
  'never healthy version of': (world, random) => release(world, random, { isSick: true }),
  'typo in the manifest': async ({ scene }) => {
    await scene.repository.commit({ [`environments/${scene.environment}/manifest.json`]: '{"services": [' })
    return ''
  },
  revert: async ({ scene }) => {
    await scene.repository.revert('HEAD')
    return ''
  },
  stop: (world, random) => toOne(world, random, 'POST', id => `/containers/${id}/stop?t=0`),
  kill: (world, random) => toOne(world, random, 'POST', id => `/containers/${id}/kill`),
  remove: (world, random) => toOne(world, random, 'DELETE', id => `/containers/${id}?force=1`),
  pause: (world, random) => toOne(world, random, 'POST', id => `/containers/${id}/pause`),
  rename: (world, random) =>
    toOne(world, random, 'POST', id => `/containers/${id}/rename?name=x-${id.slice(0, 12)}`),
  disconnect: (world, random) =>
    toOne(
      world,
      random,
      'POST',
      () => `/networks/${world.scene.environment}.shop/disconnect`,
      id => ({ Container: id, Force: true }),
    ),
  'kill the daemon': async world => {
    world.daemon.signal('SIGKILL')
    await world.daemon.ended
    world.daemon = await running(world)
    return ''
  },
  'stop the daemon': async world => {
    await world.daemon.stop()
    world.daemon = await running(world)
    return ''
  },
  'git server fails': async world => {
    world.server.fail = { status: 503 }
    return ''
  },
  'git server is well': async world => {
    world.server.fail = undefined
    return ''
  },
  'restart the engine': async ({ engine }, random) => {
    // It serves all lanes: seldom.
    if (random.below(4) > 0) return '(not now)'
    await engine.restart()
    return ''
  },
}

async function release(
  world: World,
  random: Random,
  how: { isBroken?: true; isSick?: true },
): Promise<string> {
  const name = random.of(['web', 'db', 'api'] as const)
  world.versions = { ...world.versions, [name]: world.versions[name] + 1 }
  await commit(world.scene, world.versions, { ...how, name })
  return `${name} (${world.versions[name]})`
}

async function toOne(
  { scene }: World,
  random: Random,
  method: string,
  path: (id: string) => string,
  body?: (id: string) => object,
): Promise<string> {
  const all = await scene.containers()
  if (all.length === 0) return '(nothing is there)'
  const { id, service, labels } = random.of(all)
  const { status } = await engineCall(scene.dockerSocket, method, path(id), body?.(id))
  return `${service} ${labels['tallyman.instance']} ${labels['tallyman.container']}: ${status}`
}

async function running({ scene, daemon }: World): Promise<Daemon> {
  const isOver = await Promise.race([daemon.ended.then(() => true), pause(0).then(() => false)])
  return isOver ? scene.tallyman.daemon() : daemon
}

/** `web` in two instances and rolling, `db` exclusive with hooks, `api` behind a health check. */
async function commit(
  scene: Scene,
  versions: Versions,
  bad: { readonly name?: keyof Versions; readonly isBroken?: true; readonly isSick?: true } = {},
): Promise<void> {
  const container = (name: keyof Versions) => ({
    name,
    image: `${scene.prefix}/app:1`,
    env: { VERSION: String(versions[name]) },
    ...(bad.name === name && bad.isBroken ? { cmd: ['sh', '-c', 'exit 7'] } : {}),
    ...(bad.name === name && bad.isSick
      ? { healthcheck: { test: ['CMD', 'false'], interval: '200ms', retries: 3 } }
      : {}),
  })
  const limits = { timeoutSeconds: 15 }
  const rolling = { type: 'RollingUpdate', rollingUpdate: limits }
  const pre = { failurePolicy: 'Abort', execNewPod: { containerName: 'db', command: ['true'] } }
  const healthcheck = { test: ['CMD', 'true'], interval: '200ms', retries: 3 }
  const shop = {
    name: 'shop',
    services: [
      { name: 'web', replicas: 2, strategy: rolling, containers: [container('web')] },
      {
        name: 'db',
        strategy: { type: 'Recreate', recreate: { ...limits, pre } },
        containers: [container('db')],
      },
      { name: 'api', strategy: rolling, containers: [{ healthcheck, ...container('api') }] },
    ],
  }
  await scene.commit({ services: [{ name: 'shop' }], skipConfirmation: true }, 'Change', {
    'applications/shop.yaml': stringify(shop),
  })
}

async function isAsWanted({ scene, daemon }: World, wanted: Versions): Promise<boolean> {
  const there = await scene.containers()
  if (there.length !== 4 || there.some(({ state }) => state !== 'running')) return false
  const seen = await Promise.all(
    there.map(async ({ id, service }) => {
      const { body } = await engineCall(scene.dockerSocket, 'GET', `/containers/${id}/json`)
      const { Config }: { readonly Config: { readonly Env: readonly string[] } } = JSON.parse(body.toString())
      return `${service} ${Config.Env.find(entry => entry.startsWith('VERSION='))}`
    }),
  )
  const expected = (['api', 'db', 'web', 'web'] as const).map(name => `${name} VERSION=${wanted[name]}`)
  if (String(seen.toSorted()) !== String(expected)) return false
  const { sync, running } = await daemon.status()
  return sync === 'Synced' && running === undefined
}

async function isGone(scene: Scene): Promise<boolean> {
  return scene[Symbol.asyncDispose]().then(
    () => true,
    () => false,
  )
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
