import { optional } from '../../../lib/object.ts'
import { committing, containersOf, type Scene as RealScene } from '../../scenes/scene.ts'
import type { TallymanConfig } from '../../support/command/tallyman.ts'
import { createTallymanHere, type TallymanHere } from '../../support/command/tallyman-here.ts'
import type { GitServer } from '../../support/git/git-server.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { type SimulatedEngine, simulatedEngine } from '../../support/simulated/engine.ts'
import type { SimulatedImageOptions } from '../../support/simulated/image/registry.ts'
import type { Swarm } from '../../support/simulated/swarm/swarm.ts'
import { uniqueName } from '../../support/suite/env.ts'

/**
 * One environment as in `test/e2e`, on a simulated engine and with the command line in this process: for what is
 * decided, and said of it. The repository is a real one.
 */
export type Scene = AsyncDisposable &
  Pick<
    RealScene,
    'environment' | 'dockerSocket' | 'prefix' | 'repository' | 'config' | 'commit' | 'containers'
  > & {
    readonly engine: SimulatedEngine
    readonly tallyman: TallymanHere
    push(name: string, tag: string, options?: SimulatedImageOptions): PushedImage
  }

export type SceneOptions = {
  readonly config?: TallymanConfig | ((prefix: string, repository: Repository) => TallymanConfig)
  readonly server?: GitServer
  /** The name of a second site, on which nobody answers. */
  readonly silentSite?: string
  /** The upgrade windows of the site. */
  readonly windows?: object
  /** What else is said of the site. */
  readonly site?: object
  /** What is said of a second site that is the same engine. */
  readonly sameEngine?: object
  /** A further site, on an engine of its own. */
  readonly otherSite?: object
}

/** A scene of its own for one test; everything in it is gone when it is disposed of. */
export async function createScene({
  config = {},
  server,
  silentSite,
  windows,
  site = {},
  sameEngine,
  otherSite,
}: SceneOptions = {}): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const engine = stack.use(await simulatedEngine())
  const environment = uniqueName('here')
  const repository = stack.use(await createRepository(server))
  const prefix = `${engine.registry.host}/${environment}`
  const usual = {
    repository: { url: repository.url },
    environments: [environment],
    registry: prefix,
    // Whoever needs one pushes it.
    sandbox: { image: `${prefix}/sandbox:1` },
    healthyTime: '100ms',
    poll: '1s',
    ingress: 'off',
  }
  const own = typeof config === 'function' ? config(prefix, repository) : config
  const sites = [
    { name: 'local', endpoint: `unix://${engine.socket}`, ...optional('windows', windows), ...site },
    ...(sameEngine === undefined ? [] : [{ endpoint: `unix://${engine.socket}`, ...sameEngine }]),
    ...(otherSite === undefined ? [] : [otherSite]),
    ...(silentSite === undefined ? [] : [{ name: silentSite, endpoint: `unix://${engine.socket}.gone` }]),
  ]
  const whole = { ...usual, sites, ...own }
  const tallyman = stack.use(await createTallymanHere(whole, engine.socket))
  const parts = stack.move()
  return {
    ...{ environment, dockerSocket: engine.socket, prefix, repository, engine, tallyman },
    config: whole,
    push: (name, tag, options) => engine.registry.push(`${environment}/${name}`, tag, options),
    commit: committing(repository, environment),
    containers: () => containersOf(engine.socket, environment),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A scene whose site is a simulated Swarm of one node. */
export type SwarmScene = Scene & { readonly swarm: Swarm }

/** A scene of its own whose site is a Swarm. `config` and `site`: what else is said of the two. */
export async function createSwarmScene(config: TallymanConfig = {}, site: object = {}): Promise<SwarmScene> {
  const scene = await createScene({
    // As on a kernel that has no IPVS.
    site: { kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host', ...site },
    config: { healthyTime: '0s', ...config },
  })
  return Object.assign(scene, { swarm: scene.engine.beginSwarm() })
}
