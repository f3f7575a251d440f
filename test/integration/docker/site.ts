import { randomUUID } from 'node:crypto'
import { connect } from '../../../lib/docker/connect.ts'
import { createLogText } from '../../../lib/docker/container/output/log-text.ts'
import type { SiteEndpoint } from '../../../lib/endpoint.ts'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import type { ContainerPlace, Provenance } from '../../../lib/plan/step/container-place.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import type { Container } from '../../../lib/state/application/container/container.ts'
import type { PostMortem } from '../../../lib/state/pass/post-mortem.ts'
import type { LiveContainer } from '../../../lib/state/running/live.ts'
import { identity } from '../../support/builders/builders.ts'
import { cleanUp } from '../../support/engine/clean-up.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { realEngine, type TestedEngine } from '../../support/engine/for-each-engine.ts'
import type { ImageOptions, PushedImage } from '../../support/images/images.ts'
import type { RegistryAddress } from '../../support/images/registry.ts'
import { tar } from '../../support/images/tar.ts'
import { type Answer, httpCall } from '../../support/network/http-call.ts'
import { uniqueName } from '../../support/suite/env.ts'

/** An engine, with an environment of one test: everything in it is removed when it is disposed of. */
export type TestSite = AsyncDisposable & {
  readonly engine: Engine
  readonly socket: string
  readonly registry: RegistryAddress
  readonly provenance: Provenance
  readonly signal: AbortSignal
  /** Name of the environment's network. */
  readonly network: string
  run(...steps: readonly Step[]): Promise<void>
  /** What steps said on the way, in order. */
  readonly notes: readonly string[]
  /** What they kept of containers that failed. */
  readonly postMortems: readonly PostMortem[]
  /** All containers of the environment, as they are observed, by name. */
  containers(): Promise<readonly LiveContainer[]>
  /** Runs a step that must fail, and returns its Failure. */
  fails(step: Step): Promise<Failure>
  push(options?: ImageOptions): Promise<PushedImage>
  /** Creates the network, pulls the image and creates the container; returns the step. */
  create(image: PushedImage, more?: Partial<Container>, place?: Place): Promise<CreateStep>
  /** The same, and runs it to its end; returns what it wrote. */
  outputOf(image: PushedImage, more?: Partial<Container>, place?: Place): Promise<string>
  /** What a container wrote so far. */
  log(container: string): Promise<string>
  /** The body of the engine's own answer. */
  ask(path: string): Promise<Record<string, unknown>>
  /** A file of a container, as a tar archive. */
  archive(container: string, path: string): Promise<Answer>
  /** Makes an empty file in a container that runs. */
  put(container: string, directory: string, name: string): Promise<void>
  /** Creates something that is not ours. */
  foreign(path: string, body: unknown): Promise<void>
}

/** Where a container belongs; `suffix` goes behind the name of its instance. */
export type Place = Partial<ContainerPlace> & { readonly suffix?: string }

export type CreateStep = Extract<Step, { do: 'create-container' }>

/** `through`: how the engine is spoken to, where it is not on its own socket. */
export async function testSite(
  tested: () => Promise<TestedEngine> = realEngine,
  through?: SiteEndpoint,
): Promise<TestSite> {
  const { socket: dockerSocket, registry, push } = await tested()
  const environment = uniqueName()
  const provenance = { ...identity(environment), commit: 'c0ffee' }
  const engine = connect(
    { endpoint: `unix://${dockerSocket}`, ...through, name: 'local' },
    async () => undefined,
  )
  const { signal } = new AbortController()
  const network = `${environment}-net`
  const { [Symbol.asyncDispose]: dispose } = cleanUp(dockerSocket, environment)
  const notes: string[] = []
  const postMortems: PostMortem[] = []
  const note = (words: string, postMortem?: PostMortem) => {
    if (postMortem === undefined) notes.push(words)
    else postMortems.push(postMortem)
  }
  const run = async (...steps: readonly Step[]) => {
    for (const step of steps) await engine.execute(step, provenance, signal, note)
  }
  const create = async (image: PushedImage, more: Partial<Container> = {}, place: Place = {}) => {
    const step = createStep(environment, network, image, more, place)
    await run(
      { do: 'create-network', network: { name: network } },
      { do: 'pull-image', reference: image.reference, digest: image.digest },
      step,
    )
    return step
  }
  const log = async (container: string) => {
    const { body } = await engineCall(dockerSocket, 'GET', `/containers/${container}/logs?stdout=1&stderr=1`)
    const read = createLogText()
    read.add(body)
    return read.text()
  }
  return {
    engine,
    socket: dockerSocket,
    registry,
    provenance,
    signal,
    network,
    run,
    notes,
    postMortems,
    containers: async () => (await engine.observe(provenance, signal)).containers,
    fails: async step => {
      const failure = await engine.execute(step, provenance, signal, note).catch((error: unknown) => error)
      if (failure instanceof Failure) return failure
      throw new Error(`${step.do} did not fail`, { cause: failure })
    },
    push: options => push(environment, randomUUID(), options),
    create,
    outputOf: async (image, more, place) => {
      const { container } = await create(image, more, place)
      await run({ do: 'run-to-end', container, onFailure: 'ignore' })
      return log(container)
    },
    log,
    ask: async path => ({ ...Object(await engineGet(dockerSocket, path)) }),
    archive: (container, path) =>
      engineCall(dockerSocket, 'GET', `/containers/${container}/archive?path=${path}`),
    put: async (container, directory, name) => {
      const headers = { 'content-type': 'application/x-tar' }
      const path = `/containers/${container}/archive?path=${directory}`
      const archive = tar([{ type: 'file', path: name, content: Buffer.alloc(0), mode: 0o644 }])
      await httpCall({ socketPath: dockerSocket, method: 'PUT', path, headers, agent: false }, archive)
    },
    foreign: async (path, body) => {
      const answer = await engineCall(dockerSocket, 'POST', path, body)
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.body.toString()}`)
    },
    [Symbol.asyncDispose]: async () => {
      engine.close()
      await dispose()
    },
  }
}

function createStep(
  environment: string,
  network: string,
  image: PushedImage,
  more: Partial<Container>,
  { suffix = '', ...place }: Place,
): CreateStep {
  const instanceName = `${environment}.${place.service ?? 'web'}.1.0123abcd`
  const placement: ContainerPlace = {
    application: 'shop',
    service: 'web',
    instance: 1,
    version: '1.4.0',
    fingerprint: 'v1:0123abcd',
    role: 'app',
    network: { name: network },
    attachments: [],
    aliases: ['web'],
    instanceName,
    ...place,
  }
  const spec: Container = {
    name: 'web',
    image: { reference: image.reference, pin: { state: 'pinned', digest: image.digest } },
    restart: { name: 'no' },
    stopGraceMs: 5_000,
    ...more,
  }
  return { do: 'create-container', container: `${instanceName}${suffix}`, placement, spec }
}
