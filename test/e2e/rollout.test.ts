import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { sideBySide } from '../support/side-by-side.ts'
import { waitUntil } from '../support/wait-until.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, jsonText, type Scene } from './scene.ts'

/** What an event of the engine made of the instances of a service. */
type Moment = {
  readonly service: string
  readonly action: string
  /** Passed their health check, and were not yet told to stop. */
  readonly ready: number
  readonly running: number
}

/** Every moment of an environment from a time on, as the engine tells them. */
type Watch = Disposable & {
  readonly moments: readonly Moment[]
  /** How many containers there are, in any state. */
  existing(): number
}

const replicas = 2

describe('updates in a row, as the events of the engine show them', function () {
  this.timeout(240_000)
  const it = sideBySide()

  it('D7 20 rolling ones never have fewer than replicas - maxUnavailable ready, nor more than replicas + maxSurge running', async () => {
    await using scene = await prepared()
    using watch = await watchEvents(scene)
    const services = {
      some: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      none: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    }
    await update(scene, watch, services, 0)
    const begun = watch.moments.length
    for (let number = 1; number <= 10; number++)
      expect(await update(scene, watch, services, number)).to.deep.equal([
        'none: replace, rolling, without a gap',
        'some: replace, rolling, without a gap',
      ])
    expect(extremes(watch.moments.slice(begun), 'some')).to.equal(
      '20 replaced, at least 1 ready, at most 3 running',
    )
    expect(extremes(watch.moments.slice(begun), 'none')).to.equal(
      '20 replaced, at least 2 ready, at most 3 running',
    )
  })

  it('D7 H20 with Recreate each has the gap that the plan announced and no other, in which only stops and starts happen', async () => {
    await using scene = await prepared()
    using watch = await watchEvents(scene)
    const services = { web: { type: 'Recreate' } }
    await update(scene, watch, services, 0)
    for (let number = 1; number <= 2; number++) {
      const begun = watch.moments.length
      expect(await update(scene, watch, services, number)).to.deep.equal([
        'web: replace, recreate, with a gap',
      ])
      const moments = watch.moments.slice(begun)
      expect(extremes(moments, 'web')).to.equal('2 replaced, at least 0 ready, at most 2 running')
      const course = moments.map(({ ready }) => (ready === 0 ? 'gap' : 'serves'))
      expect(withoutRepeats(course)).to.deep.equal(['serves', 'gap', 'serves'])
      const inGap = new Set(moments.filter(({ ready }) => ready === 0).map(({ action }) => action))
      expect([...inGap].sort()).to.deep.equal(['die', 'kill', 'start'])
    }
  })

  /** Its instances are ready a moment after they are started. */
  async function prepared(): Promise<Scene> {
    const scene = await createScene()
    await scene.push('web', '1', {
      cmd: ['sh', '-c', 'trap "exit 0" TERM; sleep 0.1; touch /ready; sleep 1000000 & wait $!'],
    })
    return scene
  }

  /** Commits another value of a variable for all services and applies that; says what was announced. */
  async function update(
    scene: Scene,
    watch: Watch,
    strategies: Readonly<Record<string, object>>,
    number: number,
  ): Promise<readonly string[]> {
    const services = Object.entries(strategies).map(([name, strategy]) => ({
      name,
      replicas,
      containers: [
        {
          name,
          image: `${scene.prefix}/web:1`,
          env: { NUMBER: String(number) },
          healthcheck: { test: ['CMD', 'test', '-e', '/ready'], interval: '300ms', retries: 100 },
        },
      ],
      strategy,
    }))
    await scene.commit({ services: [{ name: 'shop' }] }, `Update ${number}`, {
      'applications/shop.json': jsonText({ name: 'shop', services }),
    })
    const applied = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(applied, 0)
    await waitUntil('the engine has told everything', () => watch.existing() === replicas * services.length)
    return documentOf(applied).changes.map(
      ({ service, action, strategy, downtime }) =>
        `${service}: ${action}, ${strategy}, ${downtime ? 'with' : 'without'} a gap`,
    )
  }
})

/** Follows the events of an environment's containers, from now on. */
async function watchEvents({ dockerSocket: socketPath, environment }: Scene): Promise<Watch> {
  const filters = { type: ['container'], label: [`tallyman.environment=${environment}`] }
  const path = `/events?filters=${encodeURIComponent(JSON.stringify(filters))}`
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const instances = new Map<string, Instance>()
  const moments: Moment[] = []
  const sent = request({ socketPath, path, agent: false }, answer => {
    resolve()
    // Leaving ends the answer in its middle.
    const lines = createInterface(answer).on('error', () => undefined)
    lines.on('line', line => {
      const event: EngineEvent = JSON.parse(line)
      if (!follow(instances, event)) return
      const service = serviceOf(event)
      const states = [...instances.values()].filter(one => one.service === service).map(({ state }) => state)
      moments.push({
        service,
        action: event.Action,
        ready: states.filter(state => state === 'ready').length,
        running: states.filter(state => state !== 'stopped').length,
      })
    })
  })
  sent.on('error', reject).end()
  await promise
  return { moments, existing: () => instances.size, [Symbol.dispose]: () => sent.destroy() }
}

type EngineEvent = {
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> }
}

type Instance = { readonly service: string; readonly state: 'stopped' | 'running' | 'ready' }

function serviceOf({ Actor: { Attributes } }: EngineEvent): string {
  return Attributes['tallyman.service'] ?? ''
}

/** Brings what is known of the container up to date; false for events that change nothing of it. */
function follow(instances: Map<string, Instance>, event: EngineEvent): boolean {
  const set = (state: Instance['state']) =>
    instances.set(event.Actor.ID, { service: serviceOf(event), state }).size > 0
  switch (event.Action) {
    case 'create':
    case 'die':
      return set('stopped')
    case 'start':
    case 'kill':
    case 'health_status: unhealthy':
      return set('running')
    case 'health_status: healthy':
      return set('ready')
    case 'destroy':
      return instances.delete(event.Actor.ID)
    default:
      return false
  }
}

/** The fewest that were ready at any moment, and the most that ran. */
function extremes(moments: readonly Moment[], service: string): string {
  const own = moments.filter(moment => moment.service === service)
  const replaced = own.filter(({ action }) => action === 'destroy').length
  const fewest = Math.min(...own.map(({ ready }) => ready))
  const most = Math.max(...own.map(({ running }) => running))
  return `${replaced} replaced, at least ${fewest} ready, at most ${most} running`
}

function withoutRepeats(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => word !== words[index - 1])
}
