import { setTimeout as pause } from 'node:timers/promises'
import { engineGet } from '../../support/engine/engine-call.ts'

/** A container as an engine lists it, or a task of a Swarm: `web web:1 running`, and its id. */
export type Seen = { readonly text: string; readonly id: string }

/** What an engine has of an environment. */
export type Inventory = {
  /**
   * Every container in any state, sorted; without failed jobs that are kept for people to look at (H9). On a Swarm every
   * task that runs, and every service of which none does.
   */
  containers(): Promise<readonly Seen[]>
  /** Sorted, and without the name of the environment: `shop`; the open one is nothing on a host, and `_default` on a Swarm. */
  networks(): Promise<readonly string[]>
}

type Where = {
  readonly kind: 'host' | 'swarm'
  readonly socket: string
  readonly environment: string
  readonly registry: string
}

export function inventoryOf({ kind, socket, environment, registry }: Where): Inventory {
  const own = { label: [`tallyman.environment=${environment}`] }
  const list = async (path: string, more: object = {}, filters: object = own) => {
    const query = new URLSearchParams({ filters: JSON.stringify(filters), ...more })
    return array(await engineGet(socket, `${path}?${query}`))
  }
  return {
    async containers() {
      const all = kind === 'host' ? await containersOf(list) : await tasksOf(list)
      return all
        .map(({ text, id }) => ({ text: text.replace(`${registry}/`, ''), id }))
        .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.id < b.id ? -1 : 1))
    },
    async networks() {
      const names = (await list('/networks')).map(one => String(one['Name']))
      return names.map(name => name.slice(environment.length + 1)).sort()
    },
  }
}

type Listed = Readonly<Record<string, unknown>>
type List = (path: string, more?: object, filters?: object) => Promise<readonly Listed[]>

async function containersOf(list: List): Promise<readonly Seen[]> {
  const all = await list('/containers/json', { all: '1' })
  return all
    .filter(one => !String(one['Names']).includes('.kept-'))
    .map(one => ({ text: textOf(one['Labels'], String(one['State'])), id: String(one['Id']) }))
}

/** How long a Swarm has to bring about by itself what it was told, in ms. */
const settledMs = 20_000

/** Waits until all tasks run that should, for the Swarm goes on by itself, and no longer than that takes. */
async function tasksOf(list: List): Promise<readonly Seen[]> {
  const untilMs = performance.now() + settledMs
  for (;;) {
    const seen = await tasksNow(list)
    if (seen.every(({ text }) => text.endsWith(' running')) || performance.now() > untilMs) return seen
    await pause(100)
  }
}

/** What a task runs is told by its digest, and its service says which version that is. */
async function tasksNow(list: List): Promise<readonly Seen[]> {
  const services = await list('/services')
  const found = services.map(async ({ ID, Spec }): Promise<readonly Seen[]> => {
    const labels = at(Spec, 'Labels')
    const running = (await list('/tasks', {}, { service: [ID] })).filter(
      task => at(task['Status'], 'State') === 'running',
    )
    if (running.length === 0) return [{ text: textOf(labels, 'has no task'), id: String(ID) }]
    return running.map(task => {
      const image = String(at(at(task['Spec'], 'ContainerSpec'), 'Image'))
      const isOfNow = image.endsWith(`@${at(labels, 'tallyman.digest')}`)
      return { text: textOf(labels, isOfNow ? 'running' : `still runs ${image}`), id: String(task['ID']) }
    })
  })
  return (await Promise.all(found)).flat()
}

function textOf(labels: unknown, state: string): string {
  return `${at(labels, 'tallyman.service')} ${at(labels, 'tallyman.image')} ${state}`
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function array(value: unknown): readonly Listed[] {
  return Array.isArray(value) ? value : []
}
