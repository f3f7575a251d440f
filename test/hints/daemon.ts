import { stringify } from 'yaml'
import { hinted } from '../../lib/cli/output/hinted.ts'
import type { Engine } from '../../lib/engine.ts'
import { type ErrorCode, hintOf } from '../../lib/errors/catalogue.ts'
import { Failure } from '../../lib/errors.ts'
import type { Step } from '../../lib/plan/step/step.ts'
import { round } from '../../lib/reconcile/round.ts'
import type { PassResult } from '../../lib/reconcile/site/result/pass-result.ts'
import { digest } from '../support/builders/builders.ts'
import type { TestConfig } from '../support/builders/sites.ts'
import type { Files } from '../support/builders/snapshot.ts'
import {
  type MemoryDaemon,
  type MemoryDaemonParts,
  memoryDaemon,
  memoryWorlds,
} from '../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../support/memory/memory-engine.ts'
import { memoryJournal } from '../support/memory/memory-journal.ts'
import { emptySite } from '../support/memory/simulated-site.ts'
import { problemTold, type Room, type Told, toldOf } from './followed.ts'

/** A repository, an engine in memory, and a daemon or the commands of a person who has none. */
export type Scene = {
  readonly engine: MemoryEngine
  /** What the engine refuses, by step; undefined: nothing. */
  fault: (step: Step) => ErrorCode | Failure | undefined
  /** What it answers in place of its own. */
  answers: Partial<Engine>
  /** Another process writes. */
  isRival: boolean
  /** The newest commit. */
  commit(files: Files): void
  /** Sets keys of the configuration, and starts what reads it again. */
  configure(config: TestConfig): Promise<void>
  /** The state directory is lost, and what was done with it starts again. */
  forget(): Promise<void>
  /** As `tallyman VERB` does. What is refused is told at the next look. */
  ask(request: string, given?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** One pass, as a daemon makes it, or as `apply --yes` does; with `--retry`. */
  pass(retry?: boolean): Promise<void>
  results(): readonly PassResult[]
  readonly refused: Told[]
  close(): Promise<void>
}

/** Looked at with a daemon that can be told something. */
export const withDaemon: Room<Scene> = room(true)
/** Looked at with one-shot commands alone. */
export const withoutDaemon: Room<Scene> = room(false)

function room(hasDaemon: boolean): Room<Scene> {
  return {
    open: () => sceneOf(hasDaemon),
    look: async scene => {
      await scene.pass()
      return [...scene.refused.splice(0), ...scene.results().flatMap(result => toldIn(result, hasDaemon))]
    },
    close: scene => scene.close(),
  }
}

/** Errors and warnings of a pass. */
function toldIn({ errors: failed, plan }: PassResult, hasDaemon: boolean): readonly Told[] {
  const errors = failed.map(error => hinted(error, hasDaemon))
  const warnings = (plan?.warnings ?? []).map(problemTold).map(told => hinted(told, hasDaemon))
  return [...errors, ...warnings].map(({ code, message, hint }) => ({ code, message, hint }))
}

/** What makes passes: a daemon, or commands. */
type Running = {
  pass(retry: boolean): Promise<void>
  commit: MemoryDaemon['commit']
  results(): readonly PassResult[]
  readonly ask?: MemoryDaemon['ask']
  close(): Promise<void>
}

async function sceneOf(hasDaemon: boolean): Promise<Scene> {
  let journal = memoryJournal()
  let commits = 1
  let files = appOf({})
  let config: TestConfig = {}
  const start = () => {
    const { environments = [] } = config
    const parts = {
      files,
      journal,
      config,
      engine: faulty(scene),
      get rivalOn() {
        return scene.isRival ? ['local'] : []
      },
      ...(environments.length === 0 ? {} : { environments }),
    }
    return hasDaemon ? daemonOver(parts) : commandsOver(parts)
  }
  const scene: Scene = {
    engine: memoryEngine({ has: { ...emptySite, networks: new Set() } }),
    fault: () => undefined,
    answers: {},
    refused: [],
    isRival: false,
    commit(next) {
      commits += 1
      files = next
      running.commit(files, String(commits).repeat(40))
    },
    async configure(more) {
      config = { ...config, ...more }
      await running.close()
      running = await start()
    },
    async forget() {
      journal = memoryJournal()
      await scene.configure({})
    },
    async ask(request, given) {
      try {
        return await running.ask?.(request, given)
      } catch (error) {
        scene.refused.push(...toldOf(error))
        return undefined
      }
    },
    pass: (retry = false) => running.pass(retry),
    results: () => running.results(),
    close: () => running.close(),
  }
  let running: Running = await start()
  await scene.pass()
  return scene
}

async function daemonOver(parts: MemoryDaemonParts): Promise<Running> {
  const daemon = await memoryDaemon(parts)
  return { ...daemon, pass: () => daemon.pass(), close: async () => daemon[Symbol.asyncDispose]() }
}

function commandsOver(parts: MemoryDaemonParts): Running {
  const { worlds, commit, close } = memoryWorlds(parts)
  const { signal } = new AbortController()
  let results: readonly PassResult[] = []
  return {
    commit,
    results: () => results,
    async pass(retry) {
      const [world] = worlds
      if (world === undefined) throw new Error('there is no environment')
      const freshness = { maxAgeMs: 0, lastGood: false }
      const answer = { who: 'ann', via: 'flag' } as const
      const request = { trigger: 'command', until: 'apply', freshness, retry, answer } as const
      results = [await round(world, request, signal)]
    },
    close,
  }
}

function faulty(scene: Scene): Partial<Engine> {
  const { engine } = scene
  return {
    ...engine,
    distribution: (reference, signal) =>
      scene.answers.distribution?.(reference, signal) ?? Promise.resolve(manifest(reference)),
    observe: async (scope, signal) => {
      const { site, containers } = await (scene.answers.observe ?? engine.observe)(scope, signal)
      const own = containers.filter(({ engineName }) => engineName.startsWith(`${scope.environment}.`))
      return { site, containers: own }
    },
    resources: async (scope, signal) => {
      const { networks, volumes } = await engine.resources(scope, signal)
      const isOwn = (name: string) => name === scope.environment || name.startsWith(`${scope.environment}.`)
      return { networks: networks.filter(isOwn), volumes: volumes.filter(isOwn) }
    },
    claims: {
      list: (...given) => (scene.answers.claims ?? engine.claims).list(...given),
      create: (...given) => (scene.answers.claims ?? engine.claims).create(...given),
      remove: (...given) => (scene.answers.claims ?? engine.claims).remove(...given),
    },
    holders: signal => scene.answers.holders?.(signal) ?? engine.holders(signal),
    async execute(step, provenance, signal, note) {
      const fault = scene.fault(step)
      if (fault instanceof Failure) throw fault
      if (fault !== undefined)
        throw new Failure(
          fault,
          `local: ${step.do}: it was to fail`,
          'container' in step ? { resource: step.container } : {},
        )
      return (scene.answers.execute ?? engine.execute)(step, provenance, signal, note)
    },
  }
}

/** One tag, one digest. */
function manifest(reference: string): { readonly digest: string; readonly mediaType: string } {
  const digit = [...reference].findLast(character => /[0-9a-f]/.test(character)) ?? '0'
  return { digest: digest(digit), mediaType: 'application/vnd.oci.image.manifest.v1+json' }
}

/** What an application of these tests is like. */
export type App = {
  readonly name?: string
  readonly tag?: string
  readonly version?: string
  readonly strategy?: object
  readonly cmd?: string
  readonly user?: string
  readonly requires?: Readonly<Record<string, string>>
  readonly service?: object
  readonly more?: object
}

/** A manifest that needs no confirmation, with specifications of these applications. */
export function appOf(...apps: readonly App[]): Files {
  const specifications = apps.map(
    ({ name = 'web', tag = '1', cmd, user, strategy, requires, service, more }) => [
      `applications/${name}.yaml`,
      stringify({
        name,
        services: [
          {
            name,
            containers: [
              {
                name: 'app',
                image: `${name}:${tag}`,
                ...(cmd === undefined ? {} : { cmd }),
                ...(user === undefined ? {} : { user }),
              },
            ],
            ...(strategy === undefined ? {} : { strategy }),
            ...service,
          },
        ],
        ...(requires === undefined ? {} : { requires }),
        ...more,
      }),
    ],
  )
  const services = apps.map(({ name = 'web', version }) => ({
    name,
    ...(version === undefined ? {} : { version }),
  }))
  return {
    'environments/prod/manifest.json': JSON.stringify({ services, skipConfirmation: true }),
    ...Object.fromEntries(specifications),
  }
}

/** Recreated, so that nothing serves meanwhile; with a hook, which says what it runs. */
export function recreated(stage?: 'pre' | 'mid' | 'post', command = 'true', timeoutSeconds = 60): object {
  const hook = { failurePolicy: 'Abort', execNewPod: { containerName: 'app', command: [command] } }
  return { type: 'Recreate', recreate: { timeoutSeconds, ...(stage === undefined ? {} : { [stage]: hook }) } }
}

/** The plan that was found last. */
export function planOf(scene: Scene): string {
  return scene.results()[0]?.plan?.id ?? ''
}

/** That step of a container whose name has this in it fails with this code. */
export function failing(verb: Step['do'], code: ErrorCode | Failure, part = ''): Scene['fault'] {
  return step => (step.do === verb && JSON.stringify(step).includes(part) ? code : undefined)
}

/** From now on the engine does what it is told. */
export function heal(scene: Scene): void {
  scene.fault = () => undefined
}

/** What the catalogue says where no daemon runs. */
export function aloneOf(code: ErrorCode): string {
  return hintOf(code, false)
}

export const retry = (scene: Scene): Promise<unknown> => scene.ask('POST /api/v1/retry')
export const retryAlone = (scene: Scene): Promise<void> => scene.pass(true)

/** Commits these applications. */
export function put(...apps: readonly App[]): (scene: Scene) => void {
  return scene => scene.commit(appOf(...apps))
}

/** The engine fails at a step of the newest release. */
export function releaseFails(
  verb: Step['do'],
  fault: ErrorCode | Failure,
  app: App = {},
): (scene: Scene) => void {
  return scene => {
    scene.fault = failing(verb, fault)
    scene.commit(appOf({ tag: '2', ...app }))
  }
}

/** A commit of another release, on an engine that does what it is told. */
export function corrected(scene: Scene): void {
  heal(scene)
  scene.commit(appOf({ tag: '3' }))
}

export function rejecting(code: ErrorCode): () => Promise<never> {
  return async () => {
    throw new Failure(code, `local: ${code}`)
  }
}

/** A service with a port of the host. */
export function published(port: number): object {
  const protocols = [{ name: 'tcp', 'port-ranges': String(port) }]
  return { network: { 'ingress-ip-per-instance': { protocols } } }
}
