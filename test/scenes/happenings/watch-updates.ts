import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { waitUntil } from '../../support/time/wait-until.ts'
import { documentOf, expectCode } from '../plan-document.ts'
import { type AnyScene, jsonText, type Scene } from '../scene.ts'

/** What an event of the engine made of the instances of a service. */
export type Moment = {
  readonly service: string
  readonly action: string
  /** Passed their health check, and were not yet told to stop. */
  readonly ready: number
  readonly running: number
}

/** Every moment of an environment from a time on, as the engine tells them. */
export type Watch = Disposable & {
  readonly moments: readonly Moment[]
  /** How many containers there are, in any state. */
  existing(): number
}

const replicas = 2

/** Its instances are ready a moment after they are started. */
export const image: { readonly cmd: readonly string[] } = {
  cmd: ['sh', '-c', 'trap "exit 0" TERM; sleep 0.1; touch /ready; sleep 1000000 & wait $!'],
}

/** Commits another value of a variable for all services and applies that; says what was announced. */
export async function update(
  scene: AnyScene,
  watch: Watch,
  strategies: Readonly<Record<string, object>>,
  number: number,
  interval = '1s',
): Promise<readonly string[]> {
  const services = Object.entries(strategies).map(([name, strategy]) => ({
    name,
    replicas,
    containers: [
      {
        name,
        image: `${scene.prefix}/web:1`,
        env: { NUMBER: String(number) },
        healthcheck: { test: ['CMD', 'test', '-e', '/ready'], interval, retries: 100 },
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

/** Follows the events of an environment's containers, from now on. */
export async function watchEvents({
  dockerSocket: socketPath,
  environment,
}: Pick<Scene, 'dockerSocket' | 'environment'>): Promise<Watch> {
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
export function extremes(moments: readonly Moment[], service: string): string {
  const own = moments.filter(moment => moment.service === service)
  const replaced = own.filter(({ action }) => action === 'destroy').length
  const fewest = Math.min(...own.map(({ ready }) => ready))
  const most = Math.max(...own.map(({ running }) => running))
  return `${replaced} replaced, at least ${fewest} ready, at most ${most} running`
}

export function withoutRepeats(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => word !== words[index - 1])
}
