import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import type { Engine } from '../../../../lib/engine.ts'
import { toFailure } from '../../../../lib/errors.ts'
import { files as proxyFiles } from '../../../../lib/ingress/container/files.ts'
import type { Step } from '../../../../lib/plan/step/step.ts'
import { ingressName } from '../../../../lib/state/application/ingress/route.ts'
import { identity } from '../../../support/builders/builders.ts'
import type { PushedImage } from '../../../support/images/images.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import { type SimulatedEngine, simulatedEngine } from '../../../support/simulated/engine.ts'

const provenance = { ...identity('prod'), commit: 'c0ffee' }
const { signal } = new AbortController()

type Work = {
  /** What is done before, while nothing is wrong. */
  readonly before?: readonly (keyof typeof steps)[]
  /** The image is that of a proxy. */
  readonly isProxy?: boolean
  /** Why the next start is refused. */
  readonly refusal?: string
  /** It ends only when it is told to. */
  readonly isEndless?: true
  readonly does: (site: Engine, image: PushedImage) => Promise<unknown>
}

const steps = {
  network: () => ({ do: 'create-network', network: { name: 'prod' } }),
  pull: ({ reference, digest }: PushedImage) => ({ do: 'pull-image', reference, digest }),
  create: ({ reference, digest }: PushedImage) => ({
    do: 'create-container',
    container: 'web',
    placement: {
      ...{ application: 'shop', service: 'web', instance: 1, fingerprint: 'v1:0123abcd', role: 'app' },
      ...{ network: { name: 'prod' }, attachments: [], aliases: ['web'], instanceName: 'web' },
    },
    spec: {
      name: 'web',
      image: { reference, pin: { state: 'pinned', digest } },
      restart: { name: 'no' },
      stopGraceMs: 5_000,
      // Its user is looked up in the container, because the file is for nobody else.
      user: 'nobody',
      files: [{ path: '/etc/key', content: 'key', mode: 0o400 }],
    },
  }),
  proxy: ({ reference, digest }: PushedImage) => ({
    do: 'create-container',
    container: 'web',
    placement: {
      ...{
        application: ingressName,
        service: ingressName,
        instance: 1,
        fingerprint: 'v1:0123abcd',
        role: 'app',
      },
      ...{ network: { name: 'prod' }, attachments: [], aliases: ['web'], instanceName: 'web' },
    },
    spec: {
      name: ingressName,
      image: { reference, pin: { state: 'pinned', digest } },
      restart: { name: 'no' },
      stopGraceMs: 5_000,
      files: [{ path: `${proxyFiles.certificates}/local/web/web.crt`, content: '', mode: 0o444 }],
    },
  }),
  load: () => ({
    do: 'load-routes',
    container: 'web',
    routing: {
      ...{ runBy: 'tallyman', routes: [], networks: [] },
      ...{ configuration: { newer: '{}', older: '{}' }, mark: 'aaaaaaaa' },
    },
  }),
  hostPath: ({ reference, digest }: PushedImage) => ({
    ...{ do: 'check-host-path', path: '/srv/data', within: '/srv' },
    image: { reference, pin: { state: 'pinned', digest } },
  }),
  start: () => ({ do: 'start-container', container: 'web' }),
  gate: () => ({ do: 'await-healthy', container: 'web', healthyMs: 0, timeoutMs: 60_000 }),
  job: () => ({ do: 'run-to-end', container: 'web', onFailure: 'abort', timeoutMs: 60_000 }),
  stop: () => ({ do: 'stop-container', container: 'web' }),
  restart: () => ({ do: 'restart-container', container: 'web' }),
  remove: () => ({ do: 'remove-container', container: 'web' }),
  volume: () => ({ do: 'create-volume', volume: { name: 'data', application: 'shop' } }),
  attach: () => ({ do: 'connect-network', container: 'web', network: 'prod', aliases: ['web'] }),
  leave: () => ({ do: 'disconnect-network', container: 'web', network: 'prod' }),
  removeNetwork: () => ({ do: 'remove-network', network: 'prod' }),
} satisfies Readonly<Record<string, (image: PushedImage) => Step>>

const step = (name: keyof typeof steps, ...before: readonly (keyof typeof steps)[]): Work => ({
  before,
  does: (site, image) => site.execute(steps[name](image), provenance, signal),
})

const running = ['network', 'pull', 'create', 'start'] as const

const proxied = ['network', 'pull', 'proxy', 'start'] as const

const works: Readonly<Record<string, Work>> = {
  'who it is': { does: site => site.info(signal) },
  'the containers': { before: running, does: site => site.observe(provenance, signal) },
  'networks and volumes': { does: site => site.resources(provenance, signal) },
  'who holds it': { does: site => site.holders(signal) },
  'the images': { does: site => site.images(signal) },
  'an image': { does: (site, { reference }) => site.localImage(reference, signal) },
  'a tag at a registry': { does: (site, { reference }) => site.distribution(reference, signal) },
  'a network': step('network'),
  'a pull': step('pull'),
  'a container with files for its own user': step('create', 'network', 'pull'),
  'a start': step('start', 'network', 'pull', 'create'),
  'a health gate': step('gate', ...running),
  'a job': step('job', 'network', 'pull', 'create'),
  'a stop': step('stop', ...running),
  'a restart': step('restart', ...running),
  'a removal': step('remove', ...running),
  'a container made anew': {
    ...step('start', 'network', 'pull', 'create'),
    refusal: 'container with id already exists',
  },
  'a directory of the host': step('hostPath', 'pull'),
  'a program in the ingress': { ...step('load', ...proxied), isProxy: true },
  'the report of the ingress': {
    isProxy: true,
    before: proxied,
    does: site => site.ingress(provenance, signal),
  },
  'draining a site': {
    isProxy: true,
    before: proxied,
    does: site => site.setDraining(provenance, true, signal),
  },
  'a volume': step('volume'),
  'an attachment': step('attach', ...running),
  'a detachment': step('leave', ...running),
  'the end of a network': step('removeNetwork', 'network'),
  events: { isEndless: true, does: site => site.watch(provenance, () => undefined, signal) },
}

/** Opens an engine on which that was done, and connects to it. */
async function opened(engine: SimulatedEngine, { before = [], isProxy = false, refusal }: Work) {
  const image = isProxy
    ? engine.registry.push('web', '1', caddy)
    : engine.registry.push('web', '1', { cmd: ['true'] })
  const site = connect({ name: 'local', endpoint: engine.endpoint }, async () => undefined)
  await site.info(signal)
  for (const name of before) await site.execute(steps[name](image), provenance, signal)
  if (refusal !== undefined) engine.faults.set(/\/start$/, { status: 500, message: refusal }, 1)
  engine.forgetCalls()
  return { site, image }
}

/** Returns how it ends while time passes as it must. Fails if it has not ended after two hours. */
async function ended(work: Promise<unknown>, isFaulty: () => boolean): Promise<string> {
  let how: string | undefined
  work.then(
    () => {
      how = 'done'
    },
    error => {
      how = toFailure(error).code
    },
  )
  for (let ms = 0; how === undefined; ) {
    if (ms > 7_200_000) return 'never'
    // What is under way on the socket gets there before time passes.
    for (let turns = 0; turns < 30 && how === undefined; turns += 1) await turn()
    const stepMs = isFaulty() ? 10_000 : 50
    mock.timers.tick(stepMs)
    ms += stepMs
  }
  return how
}

/** A stream of events may be silent for as long as nothing happens; whoever listens asks whether the engine is there. */
const mayBeSilent = (call: string, fault: string) => fault === 'stalls' && call === 'GET /events'

describe('a call to an engine', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  for (const [what, work] of Object.entries(works))
    it(`G17 G24 ends, whichever of the calls it takes hangs or stalls in its answer: ${what}`, async () => {
      const calls = await callsOf(work)
      expect(calls).to.not.be.empty
      const without: string[] = []
      for (const call of calls)
        for (const fault of ['hangs', 'stalls'] as const) {
          if (mayBeSilent(call, fault)) continue
          await using engine = await simulatedEngine()
          const { site, image } = await opened(engine, work)
          const faulty = new RegExp(`^${call}$`)
          engine.faults.set(faulty, fault)
          const isFaulty = () => engine.calls.some(one => faulty.test(one))
          const how = await ended(work.does(site, image), isFaulty)
          if (how === 'never' || !isFaulty()) without.push(`${call} ${fault}`)
        }
      expect(without, 'what has no deadline').to.deep.equal([])
    })
})

/** The calls that something takes while nothing is wrong, each once. */
async function callsOf(work: Work): Promise<readonly string[]> {
  await using engine = await simulatedEngine()
  const { site, image } = await opened(engine, work)
  await ended(work.does(site, image), () => work.isEndless === true)
  return [...new Set(engine.calls.map(withoutIds))]
}

/** The same call on any engine. */
function withoutIds(call: string): string {
  return call.replaceAll(/[0-9a-f]{64}/g, '[0-9a-f]+')
}
