import { isDeepStrictEqual } from 'node:util'
import type { Events } from '../server/events.ts'
import { type Filters, hasLabels, matchesAny } from '../server/filters.ts'
import { newId } from '../server/ids.ts'
import type { Moment } from '../server/moment.ts'
import { conflict, missing, Refusal } from '../server/refusal.ts'
import { keptThings, type Things } from './swarm-things.ts'

/** A specification as it was given, of which only this matters here. */
export type Spec = {
  readonly Name: string
  readonly Labels?: Readonly<Record<string, string>>
  readonly TaskTemplate: {
    readonly ContainerSpec: { readonly Image: string; readonly [key: string]: unknown }
    readonly ForceUpdate?: number
    readonly [key: string]: unknown
  }
  readonly Mode?: { readonly Replicated?: { readonly Replicas?: number }; readonly Global?: object }
  readonly [key: string]: unknown
}

export type Service = {
  readonly ID: string
  Version: { readonly Index: number }
  readonly CreatedAt: string
  UpdatedAt: string
  Spec: Spec
  PreviousSpec?: Spec
  UpdateStatus?: {
    readonly State: 'completed' | 'paused'
    readonly Message: string
    readonly StartedAt: string
  }
}

export type Task = {
  readonly ID: string
  readonly ServiceID: string
  readonly NodeID: string
  readonly Slot?: number
  readonly CreatedAt: string
  readonly Spec: Spec['TaskTemplate']
  DesiredState: 'running' | 'shutdown' | 'remove'
  Status: { readonly Timestamp: string; readonly State: string; readonly Err?: string }
}

/** What becomes of a task as soon as it is made: `running`, or why it cannot be. `none`: the Swarm makes none. */
export type Fate =
  | {
      readonly State: string
      readonly Err?: string
      readonly Message?: string
      readonly ContainerStatus?: { readonly ExitCode: number }
    }
  | 'none'

/** The fate of a task whose program exits with this code. */
export function exitsWith(ExitCode: number): Fate {
  const Err = `task: non-zero exit (${ExitCode})`
  return { State: 'failed', Message: 'started', Err, ContainerStatus: { ExitCode } }
}

/** What is told of a node besides. */
export type ToldNode = {
  readonly labels?: Readonly<Record<string, string>>
  /** The plugins for volumes, besides the engine's own. */
  readonly drivers?: readonly string[]
  readonly availability?: 'drain'
  readonly architecture?: string
}

/**
 * A Swarm of one node, and no containers behind its tasks. A task ends as soon as it is made, or is being prepared until
 * somebody has looked, and runs then. Whenever a service is changed, four tasks failed in each of its slots since it was
 * changed before, as in a bad night: they are told of as long as there is room for them in the history of the slot.
 */
export type Swarm = {
  readonly id: string
  readonly nodeId: string
  /** Whether its node may run tasks. It is only told: all of them run there. */
  availability: 'active' | 'drain'
  /** What is told of its node. */
  node: ToldNode
  /** Further nodes, of which is only told: nothing runs there. */
  readonly otherNodes: ToldNode[]
  readonly configs: Things
  readonly secrets: Things
  /** Says what becomes of the tasks of a specification. At first all of them run. */
  fate: (spec: Spec) => Fate
  /** Whether the tasks of a service that is removed go on until `endRemoved`, as they do for their grace period. */
  doesRemovedGoOn: boolean
  /** Has the tasks of removed services end, and forgets them. */
  endRemoved(): void
  /** Has all tasks that are to run meet what becomes of them now. */
  startAgain(): void
  list(filters: Filters): readonly Service[]
  /** How many tasks of a service run, and how many are to. */
  status(service: Service): { readonly RunningTasks: number; readonly DesiredTasks: number }
  /** The service of an id or a name. Throws the engine's refusal. */
  get(idOrName: string): Service
  create(spec: Spec): Service
  /** Throws the manager's refusal if somebody changed it since it had this version. */
  update(idOrName: string, version: number, spec: Spec): void
  remove(idOrName: string): void
  tasks(filters: Filters): readonly Task[]
  /** The same, as they are told of: those that are being prepared run afterwards. */
  look(filters: Filters): readonly Task[]
}

/** How many tasks of one slot a Swarm tells of, also those that have ended. */
const historyLimit = 5

/** Begins the Swarm of an engine, which is its only manager. */
export function beginSwarm(now: () => Moment, events: Events): Swarm {
  const services = new Map<string, Service>()
  const tasks = new Map<string, Task[]>()
  const removed = new Map<string, Service>()
  const nodeId = shortId()
  let index = 10
  const next = () => {
    index += 1
    return { Index: index }
  }
  const find = (idOrName: string) =>
    services.get(idOrName) ?? [...services.values()].find(({ Spec }) => Spec.Name === idOrName)
  const get = (idOrName: string): Service => {
    const service = find(idOrName)
    if (service === undefined) throw missing(`service ${idOrName} not found`)
    return service
  }
  const tell = (action: string, { ID, Spec }: Service) =>
    events.emit('service', action, ID, { name: Spec.Name })
  /** Adds to each slot of a service four tasks that failed since the service was changed last. */
  const addPast = ({ ID }: Service) => {
    const own = tasks.get(ID) ?? []
    for (const task of own.filter(({ Status }) => Status.State === 'running')) {
      const Status = { Timestamp: now().text, State: 'failed', Err: 'task: non-zero exit (99)' }
      const failed = () => ({ ...task, ...{ ID: shortId(), CreatedAt: now().text, Status } })
      const past = Array.from(
        { length: historyLimit - 1 },
        (): Task => ({ ...failed(), DesiredState: 'shutdown' }),
      )
      own.splice(own.indexOf(task), 0, ...past)
    }
  }
  /** Forgets of each slot the oldest tasks that are too many. */
  const trim = (own: readonly Task[]) => {
    const surplus = [...Map.groupBy(own, ({ Slot }) => Slot).values()].flatMap(slot =>
      slot
        .filter(({ DesiredState }) => DesiredState === 'shutdown')
        .slice(0, Math.max(0, slot.length - historyLimit)),
    )
    return own.filter(task => !surplus.includes(task))
  }
  /** Makes and ends tasks as the specification says. Returns whether one of them failed. */
  const settle = (service: Service): boolean => {
    const { ID, Spec } = service
    const own = tasks.get(ID) ?? []
    const wanted = wantedTasks(Spec)
    const isAsWanted = (task: Task) => isDeepStrictEqual(task.Spec, Spec.TaskTemplate)
    let failed = false
    for (const task of own)
      if (task.DesiredState === 'running' && ((task.Slot ?? 1) > wanted || !isAsWanted(task))) {
        task.DesiredState = 'shutdown'
        if (task.Status.State === 'running' || task.Status.State === 'preparing')
          task.Status = { Timestamp: now().text, State: 'shutdown' }
      }
    for (let Slot = 1; Slot <= wanted; Slot += 1) {
      if (own.some(task => task.DesiredState === 'running' && task.Slot === Slot)) continue
      const fate = swarm.fate(Spec)
      if (fate === 'none') continue
      failed ||= fate.State === 'failed' || fate.State === 'rejected'
      const State = fate.State === 'running' ? 'preparing' : fate.State
      const Status = { Timestamp: now().text, ...fate, State }
      const about = { ServiceID: ID, NodeID: nodeId, Slot, CreatedAt: now().text, Spec: Spec.TaskTemplate }
      own.push({ ID: shortId(), ...about, DesiredState: 'running', Status })
    }
    tasks.set(ID, trim(own))
    return failed
  }
  const swarm: Swarm = {
    ...{ id: shortId(), nodeId, configs: keptThings('config', now), secrets: keptThings('secret', now) },
    ...{ node: {}, otherNodes: [] },
    ...{ availability: 'active', fate: () => ({ State: 'running' }), doesRemovedGoOn: false },
    list: filters =>
      [...services.values()].filter(
        ({ ID, Spec }) =>
          hasLabels(Spec.Labels ?? {}, filters) &&
          matchesAny(filters, 'name', wanted => Spec.Name.startsWith(wanted)) &&
          matchesAny(filters, 'id', wanted => ID.startsWith(wanted)),
      ),
    status: ({ ID, Spec }) => ({
      RunningTasks: (tasks.get(ID) ?? []).filter(({ Status }) => Status.State === 'running').length,
      DesiredTasks: wantedTasks(Spec),
    }),
    get,
    endRemoved() {
      for (const id of removed.keys()) tasks.delete(id)
      removed.clear()
    },
    startAgain() {
      for (const { ID, Spec } of services.values())
        for (const task of tasks.get(ID) ?? []) {
          const fate = swarm.fate(Spec)
          if (task.DesiredState === 'running' && fate !== 'none')
            task.Status = { Timestamp: now().text, ...fate }
        }
    },
    create(Spec) {
      if (find(Spec.Name) !== undefined)
        throw conflict(
          `rpc error: code = AlreadyExists desc = name conflicts with an existing object: service ${Spec.Name} already exists`,
        )
      const [ID, { text }] = [shortId(), now()]
      const service: Service = { ID, Version: next(), CreatedAt: text, UpdatedAt: text, Spec }
      services.set(ID, service)
      settle(service)
      tell('create', service)
      return service
    },
    update(idOrName, version, Spec) {
      const service = get(idOrName)
      if (service.Version.Index !== version)
        throw new Refusal(500, 'rpc error: code = Unknown desc = update out of sequence')
      addPast(service)
      service.PreviousSpec = service.Spec
      service.Spec = Spec
      service.Version = next()
      service.UpdatedAt = now().text
      const isReplaced = !isDeepStrictEqual(service.PreviousSpec.TaskTemplate, Spec.TaskTemplate)
      const failed = settle(service)
      delete service.UpdateStatus
      if (isReplaced) {
        const StartedAt = service.UpdatedAt
        service.UpdatedAt = now().text
        service.UpdateStatus = failed
          ? {
              State: 'paused',
              Message: 'update paused due to failure or early termination of task',
              StartedAt,
            }
          : { State: 'completed', Message: 'update completed', StartedAt }
      }
      tell('update', service)
    },
    remove(idOrName) {
      const service = get(idOrName)
      services.delete(service.ID)
      removed.set(service.ID, service)
      for (const task of tasks.get(service.ID) ?? []) task.DesiredState = 'remove'
      if (!swarm.doesRemovedGoOn) swarm.endRemoved()
      tell('remove', service)
    },
    tasks: filters =>
      [...services.values(), ...removed.values()]
        .filter(
          ({ ID, Spec }) =>
            hasLabels(Spec.Labels ?? {}, filters) &&
            matchesAny(filters, 'service', wanted => wanted === ID || wanted === Spec.Name),
        )
        .flatMap(({ ID, Spec }) =>
          (tasks.get(ID) ?? []).filter(one =>
            matchesAny(filters, 'name', wanted => `${Spec.Name}.${one.Slot}.${one.ID}`.startsWith(wanted)),
          ),
        )
        .filter(({ DesiredState }) =>
          matchesAny(filters, 'desired-state', wanted => wanted === DesiredState),
        ),
    look(filters) {
      const seen = swarm.tasks(filters)
      const told = seen.map(task => ({ ...task }))
      for (const task of seen)
        if (task.Status.State === 'preparing') task.Status = { Timestamp: now().text, State: 'running' }
      return told
    },
  }
  return swarm
}

/** How many tasks a service is to have on the only node. */
function wantedTasks({ Mode }: Spec): number {
  return Mode?.Global === undefined ? (Mode?.Replicated?.Replicas ?? 1) : 1
}

/** What is of a Swarm has ids of 25 letters and digits. */
function shortId(): string {
  return newId().slice(0, 25)
}
