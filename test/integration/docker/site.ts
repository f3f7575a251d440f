import { randomUUID } from 'node:crypto'
import { connect } from '../../../lib/docker/connect.ts'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Placement, Provenance, Step } from '../../../lib/plan/step.ts'
import type { Container } from '../../../lib/state/container.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { engineCall, engineGet } from '../../support/engine-call.ts'
import { testMachine, uniqueName } from '../../support/env.ts'
import { type ImageOptions, type PushedImage, pushImage } from '../../support/images.ts'
import type { RegistryAddress } from '../../support/registry.ts'

/** The real engine, with an environment of one test: everything in it is removed when it is disposed of. */
export type TestSite = AsyncDisposable & {
  readonly engine: Engine
  readonly socket: string
  readonly registry: RegistryAddress
  readonly provenance: Provenance
  readonly signal: AbortSignal
  /** Name of the environment's network. */
  readonly network: string
  run(...steps: readonly Step[]): Promise<void>
  /** Runs a step that must fail, and returns its Failure. */
  fails(step: Step): Promise<Failure>
  push(options?: ImageOptions): Promise<PushedImage>
  /** Creates the network, pulls the image and creates the container; returns the step. */
  create(image: PushedImage, more?: Partial<Container>): Promise<CreateStep>
  /** The body of the engine's own answer. */
  ask(path: string): Promise<Record<string, unknown>>
  /** Creates something that is not ours. */
  foreign(path: string, body: unknown): Promise<void>
}

export type CreateStep = Extract<Step, { do: 'create-container' }>

export async function testSite(): Promise<TestSite> {
  const { dockerSocket, registry } = await testMachine()
  const environment = uniqueName()
  const provenance = { environment, source: 'https://git.example.com/ops/manifests', commit: 'c0ffee' }
  const engine = connect({ name: 'local', endpoint: `unix://${dockerSocket}` }, async () => undefined)
  const { signal } = new AbortController()
  const network = `${environment}-net`
  const { [Symbol.asyncDispose]: dispose } = cleanUp(dockerSocket, environment)
  const run = async (...steps: readonly Step[]) => {
    for (const step of steps) await engine.execute(step, provenance, signal)
  }
  return {
    engine,
    socket: dockerSocket,
    registry,
    provenance,
    signal,
    network,
    run,
    fails: async step => {
      const failure = await engine.execute(step, provenance, signal).catch((error: unknown) => error)
      if (failure instanceof Failure) return failure
      throw new Error(`${step.do} did not fail`, { cause: failure })
    },
    push: options => pushImage(registry, environment, randomUUID(), options),
    create: async (image, more = {}) => {
      const step = createStep(environment, network, image, more)
      await run(
        { do: 'create-network', network: { name: network } },
        { do: 'pull-image', reference: image.reference, digest: image.digest },
        step,
      )
      return step
    },
    ask: async path => ({ ...Object(await engineGet(dockerSocket, path)) }),
    foreign: async (path, body) => {
      const answer = await engineCall(dockerSocket, 'POST', path, body)
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.body.toString()}`)
    },
    [Symbol.asyncDispose]: dispose,
  }
}

function createStep(
  environment: string,
  network: string,
  image: PushedImage,
  more: Partial<Container>,
): CreateStep {
  const placement: Placement = {
    application: 'shop',
    service: 'web',
    instance: 1,
    version: '1.4.0',
    fingerprint: 'v1:0123abcd',
    network,
    aliases: ['web'],
  }
  const spec: Container = {
    name: 'web',
    image: { reference: image.reference, pin: { state: 'pinned', digest: image.digest } },
    restart: { name: 'no' },
    stopGraceMs: 5_000,
    ...more,
  }
  return { do: 'create-container', container: `${environment}.web.1.0123abcd`, placement, spec }
}
