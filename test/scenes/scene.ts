import {
  type Commands,
  createTallyman,
  type Tallyman,
  type TallymanConfig,
  type Watched,
} from '../support/command/tallyman.ts'
import { cleanUp, removeImagesOf } from '../support/engine/clean-up.ts'
import { engineGet } from '../support/engine/engine-call.ts'
import type { GitServer } from '../support/git/git-server.ts'
import {
  type CommitOptions,
  createRepository,
  type Files,
  type Repository,
} from '../support/git/repository.ts'
import { type ImageOptions, type PushedImage, pushImage } from '../support/images/images.ts'
import type { RegistryAddress } from '../support/images/registry.ts'
import { type TestMachine, testMachine, uniqueName } from '../support/suite/env.ts'

/** A manifest as users write it. */
export type Manifest = {
  readonly includes?: readonly string[]
  readonly services?: readonly Service[]
  readonly skipConfirmation?: boolean
}

export type Service = {
  readonly name: string
  readonly version?: string
  readonly containers?: readonly {
    readonly dockerName?: string
    readonly dockerTag: string
    readonly dockerDigest?: string
  }[]
}

/** A container of the environment, as the engine lists it. */
export type LiveContainer = {
  readonly id: string
  readonly service: string
  readonly state: string
  readonly labels: Readonly<Record<string, string>>
}

/** One environment: its repository, its images, and tallyman configured for both. */
export type Scene = AsyncDisposable & {
  readonly environment: string
  readonly dockerSocket: string
  readonly registry: RegistryAddress
  /** What image names without a registry begin with. */
  readonly prefix: string
  readonly repository: Repository
  readonly config: TallymanConfig
  readonly tallyman: Tallyman
  push(name: string, tag: string, options?: ImageOptions): Promise<PushedImage>
  /** Commits the environment's manifest, and other files by their path in the environment's directory. */
  commit(manifest: Manifest, message?: string, more?: Files, options?: CommitOptions): Promise<string>
  /** Everything of the environment that the engine has, running or not, by service and id. */
  containers(): Promise<readonly LiveContainer[]>
}

/** What tests of either engine need of a scene; `Daemon` is what its daemon can be asked. */
export type AnyScene<Daemon = Watched> = Pick<
  Scene,
  'environment' | 'prefix' | 'dockerSocket' | 'repository' | 'commit' | 'containers'
> & {
  push(name: string, tag: string, options?: Omit<ImageOptions, 'layers'>): PushedImage | Promise<PushedImage>
  readonly tallyman: Pick<Tallyman, 'run'> & { daemon(): Promise<Daemon> }
}

export type SceneOptions = {
  readonly config?: TallymanConfig | ((prefix: string, repository: Repository) => TallymanConfig)
  readonly server?: GitServer
  readonly registry?: RegistryAddress
  readonly dockerSocket?: string
  /** Instead of that of all tests; it ends with all that it has. */
  readonly machine?: TestMachine
  /** Where commands run: in processes of their own, unless it is said otherwise. */
  readonly commands?: Commands
}

/** A scene of its own for one test; everything in it is gone when it is disposed of. */
export async function createScene(options: SceneOptions = {}): Promise<Scene> {
  const { machine = await testMachine() } = options
  const { registry = machine.registry, dockerSocket = machine.dockerSocket } = options
  await using stack = new AsyncDisposableStack()
  const environment = uniqueName('e2e')
  // Images of the usual registry are removed once, with that registry.
  if (options.registry !== undefined) stack.defer(() => removeImagesOf(dockerSocket, registry.host))
  stack.use(cleanUp(dockerSocket, environment))
  const repository = stack.use(await createRepository(options.server))
  const prefix = `${registry.host}/${environment}`
  const config = {
    repository: { url: repository.url },
    environments: [environment],
    registry: prefix,
    // Whoever needs one pushes it.
    sandbox: { image: `${prefix}/sandbox:1` },
    healthyTime: '300ms',
    poll: '1s',
    // Its ports are the host's.
    ingress: 'off',
    ...(typeof options.config === 'function' ? options.config(prefix, repository) : options.config),
  }
  const tallyman = stack.use(await createTallyman(config, dockerSocket, options.commands))
  const parts = stack.move()
  return {
    environment,
    dockerSocket,
    registry,
    prefix,
    repository,
    config,
    tallyman,
    push: (name, tag, image) => pushImage(registry, `${environment}/${name}`, tag, image),
    commit: committing(repository, environment),
    containers: () => containersOf(dockerSocket, environment),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A service of equal instances: one for each tag. */
export function service(name: string, ...tags: readonly [string, ...string[]]): Service {
  return { name, containers: tags.map(dockerTag => ({ dockerTag })) }
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The ids of the containers, of one service if it is named. */
export function idsOf(containers: readonly LiveContainer[], name?: string): readonly string[] {
  return containers.filter(({ service }) => name === undefined || service === name).map(({ id }) => id)
}

/** When each container was started: the same only where none was stopped or replaced. */
export async function startTimes(scene: AnyScene): Promise<readonly string[]> {
  const containers = await scene.containers()
  return Promise.all(
    containers.map(async ({ id, state }) => {
      const { State } = await inspect(scene.dockerSocket, id)
      return `${id} ${state} since ${State.StartedAt}`
    }),
  )
}

/** What the engine says of one container. */
export async function inspect(dockerSocket: string, id: string): Promise<Inspected> {
  const answer: Inspected = JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, `/containers/${id}/json`)),
  )
  return answer
}

export type Inspected = {
  readonly Image: string
  readonly Config: { readonly Image: string; readonly Env: readonly string[] }
  readonly State: { readonly StartedAt: string; readonly Running: boolean }
}

/** Commits the manifest of an environment, and other files by their path in its directory. */
export function committing(repository: Repository, environment: string): Scene['commit'] {
  return (manifest, message, more = {}, options = {}) =>
    repository.commit(
      below(`environments/${environment}`, { 'manifest.json': jsonText(manifest), ...more }),
      message,
      options,
    )
}

function below(directory: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]))
}

type Listed = {
  readonly Id: string
  readonly State: string
  readonly Labels: Readonly<Record<string, string>>
}

/** Everything of an environment that an engine has, by service and id. */
export async function containersOf(
  dockerSocket: string,
  environment: string,
): Promise<readonly LiveContainer[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`tallyman.environment=${environment}`] }))
  const answer = await engineGet(dockerSocket, `/containers/json?all=1&filters=${filters}`)
  const listed: readonly Listed[] = JSON.parse(JSON.stringify(answer))
  return listed
    .map(({ Id, State, Labels }) => ({
      id: Id,
      service: Labels['tallyman.service'] ?? '',
      state: State,
      labels: Labels,
    }))
    .toSorted((a, b) => (a.service + a.id < b.service + b.id ? -1 : 1))
}
