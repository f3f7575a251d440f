import { expect } from 'chai'
import { stringify } from 'yaml'
import { connect } from '../../../../lib/docker/connect.ts'
import type { Engine } from '../../../../lib/engine.ts'
import { round } from '../../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../../lib/reconcile/site/pass-request.ts'
import { label } from '../../../../lib/state/labels.ts'
import { connectSwarm } from '../../../../lib/swarm/connect.ts'
import { createEngineClaims } from '../../../../lib/writer/engine-claims.ts'
import { application } from '../../../scenes/applications/application-with-hooks.ts'
import { identity } from '../../../support/builders/builders.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import { memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import type { Program } from '../../../support/simulated/container/process.ts'
import { exitsWith, staysUp } from '../../../support/simulated/container/programs.ts'
import { type SimulatedEngine, simulatedEngine } from '../../../support/simulated/engine.ts'

const { signal } = new AbortController()
const apply: RoundRequest = {
  ...{ trigger: 'command', until: 'apply', freshness: { maxAgeMs: 0, lastGood: false } },
  answer: { who: 'ann', via: 'flag' },
}

/** A machine whose processes look at a claim only when they are to be certain, and the clock that it goes by. */
function machine(name: string) {
  let ms = 1_000_000
  const claiming = {
    me: { id: name, machine: `machine of ${name}`, who: `pid 1 on ${name}` },
    pace: { lookMs: 1e9, waitMs: 1e9 },
    ...{ random: () => 1, sinceBootMs: () => ms },
  }
  return {
    claiming,
    passMinute: () => {
      ms += 60_001
    },
  }
}

const host = ({ endpoint }: SimulatedEngine): Engine =>
  connect({ name: 'local', endpoint }, async () => undefined)

/** A Swarm on which hooks end well at once. */
function swarm(engine: SimulatedEngine, onHook: () => void): Engine {
  engine.beginSwarm().fate = ({ Labels = {} }) => {
    if (Labels[label.role] !== 'hook') return { State: 'running' }
    onHook()
    return { State: 'complete' }
  }
  const options = { endpoint: 'dnsrr', publish: 'host' } as const
  return connectSwarm(
    { name: 'local', endpoint: engine.endpoint, swarm: options },
    async () => undefined,
    async () => Buffer.alloc(32, 1),
  )
}

type Hook = { readonly policy: 'Retry' | 'Abort'; readonly timeoutSeconds: number }

/** `other`, and `shop` in a version, if it has one, with a hook before and after its stop. */
function release(scene: { readonly prefix: string }, version?: string, hook?: Hook): Files {
  const line = { line: 'migrate', policy: hook?.policy ?? 'Abort' }
  const hooks = hook === undefined ? {} : { pre: line, mid: line }
  const all = [
    application(scene, 'other', '1', 'Recreate', {}),
    ...(version === undefined ? [] : [application(scene, 'shop', version, 'Recreate', hooks, hook)]),
  ]
  return {
    'environments/prod/manifest.json': JSON.stringify({
      services: all.map(({ name }) => ({ name })),
      skipConfirmation: true,
    }),
    ...Object.fromEntries(all.map(one => [`applications/${one.name}.yaml`, stringify(one)])),
  }
}

/** When the machine sleeps: before the first step of a plan, in the middle of a step, or while a hook runs. */
type Moment = 'plan' | 'create-container' | 'hook'

/**
 * What a machine does that sleeps for a minute while another one has taken its claim: how its pass ends, and the calls
 * from then on that change something, but for its question whether that one is alive.
 */
async function frozen(
  on: (engine: SimulatedEngine, onHook: () => void) => Engine,
  moment: Moment,
  files: (scene: { readonly prefix: string }) => Files,
  hook: Program = exitsWith(0),
) {
  await using engine = await simulatedEngine()
  const [first, second] = [machine('a'), machine('b')]
  let hasSlept = false
  const sleepAt = (now: Moment) => {
    if (now !== moment || hasSlept) return
    hasSlept = true
    first.passMinute()
    engine.forgetCalls()
  }
  const onHook = () => sleepAt('hook')
  const sh = (): Program =>
    function* (around) {
      onHook()
      return yield* hook(around)
    }
  const programs = { run: () => staysUp(), sh }
  engine.registry.push('app', '1', { behaves: { programs }, entrypoint: ['/run'], cmd: ['serve'] })
  const scene = { prefix: engine.registry.host }
  const site = on(engine, onHook)
  const { worlds, commit, close } = memoryWorlds({
    files: release(scene, '1'),
    engine: site,
    claiming: first.claiming,
    config: { healthyMs: 0 },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  expect((await round(world, apply, signal)).outcome).to.equal('applied')

  const others = createEngineClaims(second.claiming)
  const keeper = others.keep(site, identity('prod'), { onNews: () => undefined, onMark: () => undefined })
  expect((await keeper.take(false, signal)).is).to.equal('theirs')
  second.passMinute()
  expect((await keeper.take(false, signal)).is).to.equal('ours')

  commit(files(scene))
  const { outcome, errors } = await round(
    world,
    {
      ...apply,
      onApply: () => sleepAt('plan'),
      onEvent: ({ step, phase }) => {
        if (phase === 'started' && step.startsWith('create-container')) sleepAt('create-container')
      },
    },
    signal,
  )
  const changes = engine.calls.filter(call => !/^(GET|HEAD) |^POST \/(volumes|configs)\/create/.test(call))
  await Promise.all([close(), others.release()])
  site.close()
  return { outcome, errors: errors.map(({ code }) => code), changes }
}

const none = { outcome: 'interrupted', errors: ['another-writer'], changes: [] }
const withHook =
  (policy: Hook['policy'], timeoutSeconds = 60) =>
  (scene: { readonly prefix: string }) =>
    release(scene, '2', { policy, timeoutSeconds })

describe('a writer that sleeps for a minute, and is no longer the writer when it goes on', () => {
  it('D17 stops no service of a Swarm once the hook before that has ended', async () => {
    expect(await frozen(swarm, 'hook', withHook('Abort'))).to.deep.equal(none)
  })

  it('D17 removes no service of a Swarm', async () => {
    expect(await frozen(swarm, 'plan', scene => release(scene))).to.deep.equal(none)
  })

  it('D17 makes nothing in a step that has begun', async () => {
    expect(await frozen(host, 'create-container', withHook('Abort'))).to.deep.equal(none)
  })

  it('D17 tries no hook again that failed meanwhile', async () => {
    expect(await frozen(host, 'hook', withHook('Retry'), exitsWith(3))).to.deep.equal(none)
  })

  it('D17 stops no hook whose time is over', async () => {
    expect(await frozen(host, 'hook', withHook('Abort', 1), staysUp())).to.deep.equal(none)
  })
})
