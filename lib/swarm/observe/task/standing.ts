import { isDeepStrictEqual } from 'node:util'
import { unix } from '../../../docker/container/output/log-tail.ts'
import { largestOf } from '../../../numbers.ts'
import { optional } from '../../../object.ts'
import { replicasOf, type Task, type ToldService } from '../../api/service.ts'
import { crowdingOf } from './crowding.ts'

/** Where a service stands: how many of its tasks run as it is specified now, and what the last ones failed with. */
export type Standing = {
  readonly wanted: number
  /** Also `kept` ones. */
  readonly running: number
  /** The ids of the nodes on which they run, each as often as it runs one. */
  readonly nodes: readonly string[]
  /** How many tasks are being stopped, and have not ended. */
  readonly ending: number
  /** For how long at most they go on, in ms; 0: there are none. */
  readonly endsWithinMs: number
  /**
   * Tasks of this specification that were made since it was changed last, and failed, the last one first. A Swarm tells of
   * several in each place for ever, and those from before say nothing about what was made of it since.
   */
  readonly failed: readonly Task[]
  /**
   * Tasks of this specification on nodes that went away, or were drained, before they ran. An update of the Swarm waits
   * for them all the same.
   */
  readonly abandoned: readonly Task[]
  /** Tasks that should run and do not yet, though they were started. */
  readonly unready: readonly Task[]
  /** Why one waits that should run, in the Swarm's own words. */
  readonly pending?: string
  /** Why one of a number of tasks never gets a node, whatever else happens, in the Swarm's own words. */
  readonly crowding?: string
  /**
   * Tasks of an earlier specification that go on while there is no update, where one task is to run on each node: the nodes
   * are paused, which keep what they run and get nothing new. The Swarm counts them. There is no update, either, until
   * the Swarm begins with one: only once it is complete, it is certain that it left them out.
   */
  readonly kept: readonly Task[]
  /** What no node has, where one task is to run on each that does: the Swarm makes none then, and says nothing. */
  readonly unplaced?: string
}

const ended: readonly string[] = ['failed', 'rejected', 'complete', 'orphaned']

/** The states of a task before it runs. */
const beforeItRuns: readonly string[] = [
  ...['new', 'allocated', 'pending', 'assigned', 'accepted', 'preparing', 'ready', 'starting'],
]

/** Whether a task ended, however that was. It uses nothing any more. */
export function hasTaskEnded({ Status: { State } }: Task): boolean {
  return ended.includes(State) || State === 'shutdown' || State === 'remove'
}

/** How long a task takes at most, in ms, besides its grace period: its address is taken away first. */
const endingMs = 5_000

/** The grace period where a specification says none, in ms. */
const defaultGraceMs = 10_000

/** A task of an earlier specification, or on a node that is down, counts for nothing but that it may still end. Pure. */
export function standingOf(service: ToldService, tasks: readonly Task[]): Standing {
  const { ContainerSpec: specified } = service.Spec.TaskTemplate
  // Whether a task is as specified is looked at last: most that a manager tells of were replaced long ago.
  const own = tasks.filter(
    ({ ServiceID, DesiredState, Status, Spec }) =>
      ServiceID === service.ID &&
      (DesiredState === 'running' || ended.includes(Status.State)) &&
      isDeepStrictEqual(Spec.ContainerSpec, specified),
  )
  const meant = own.filter(task => task.DesiredState === 'running' && !isOnNoNode(service, task))
  const kept = keptTasks(service, tasks)
  const running = [...meant.filter(({ Status }) => Status.State === 'running'), ...kept]
  const failed = own
    .filter(task => ended.includes(task.Status.State) && isMadeSince(service, task))
    .sort((a, b) => Date.parse(b.Status.Timestamp) - Date.parse(a.Status.Timestamp))
  const abandoned = tasks.filter(
    task =>
      task.ServiceID === service.ID &&
      (isGivenUp(task) || isOnNoNode(service, task)) &&
      isDeepStrictEqual(task.Spec.ContainerSpec, specified),
  )
  const ending = tasks.filter(
    ({ ServiceID, DesiredState, Status }) =>
      ServiceID === service.ID && DesiredState !== 'running' && Status.State === 'running',
  )
  const waits = meant.filter(({ Status }) => Status.State === 'pending')
  const waiting = waits.find(({ Status }) => Status.Err) ?? waits[0]
  return {
    wanted: wantedOf(service, tasks),
    running: running.length,
    nodes: running.flatMap(({ NodeID }) => NodeID ?? []),
    ending: ending.length,
    endsWithinMs: largestOf(ending, ({ Spec }) => endingMs + graceMsOfTask(Spec)),
    failed,
    abandoned,
    kept,
    unready: meant.filter(
      ({ Status }) =>
        Status.State !== 'running' && Status.ContainerStatus !== undefined && !ended.includes(Status.State),
    ),
    ...(waiting === undefined ? {} : { pending: pendingText(waiting) }),
    ...optional(
      'crowding',
      waiting === undefined
        ? undefined
        : crowdingOf(
            service,
            tasks.filter(({ ServiceID }) => ServiceID === service.ID),
          ),
    ),
    ...(replicasOf(service.Spec) === 'global' && !tasks.some(task => isMeant(service, task))
      ? { unplaced: unplacedText(service) }
      : {}),
  }
}

/**
 * Whether a task was made since its service was changed last, also if only its number of tasks was. As an update goes on,
 * the manager writes that to the service: then the beginning of the update counts. Both times are by the manager's clock.
 */
function isMadeSince({ UpdatedAt, UpdateStatus }: ToldService, { CreatedAt }: Task): boolean {
  const changedAt = UpdateStatus?.StartedAt ?? UpdatedAt
  return changedAt === undefined || CreatedAt === undefined || unix(CreatedAt) >= unix(changedAt)
}

/** Returns how long a task has to end by itself once it is told to, in ms. */
export function graceMsOfTask({ ContainerSpec }: Task['Spec']): number {
  const ns = ContainerSpec?.['StopGracePeriod']
  return typeof ns === 'number' ? ns / 1_000_000 : defaultGraceMs
}

/** A task of an earlier specification, or that fails again and again, tells of a node that is to run one, too. */
function wantedOf({ ID, Spec }: ToldService, tasks: readonly Task[]): number {
  const replicas = replicasOf(Spec)
  if (replicas !== 'global') return replicas
  const meant = tasks.filter(task => isMeant({ ID, Spec }, task))
  return Math.max(1, new Set(meant.map(({ NodeID }) => NodeID)).size)
}

function keptTasks(service: ToldService, tasks: readonly Task[]): readonly Task[] {
  const { State = 'completed' } = service.UpdateStatus ?? {}
  if (replicasOf(service.Spec) !== 'global' || State !== 'completed') return []
  const { ContainerSpec: specified } = service.Spec.TaskTemplate
  const meant = tasks.filter(task => isMeant(service, task))
  const fresh = meant.filter(({ Spec }) => isDeepStrictEqual(Spec.ContainerSpec, specified))
  const replaced = new Set(fresh.map(({ NodeID }) => NodeID))
  return meant.filter(
    task => !fresh.includes(task) && task.Status.State === 'running' && !replaced.has(task.NodeID),
  )
}

/** Returns what is said of tasks of an earlier specification that go on. */
export function keptText({ length }: readonly Task[]): string {
  return length === 1
    ? '1 task of an earlier release goes on, whose node takes no new ones'
    : `${length} tasks of an earlier release go on, whose nodes take no new ones`
}

/** Whether a task is to run, or will be. */
function isMeant(service: Pick<ToldService, 'ID' | 'Spec'>, task: Task): boolean {
  const { ServiceID, DesiredState } = task
  const isToRun = DesiredState === 'running' || DesiredState === 'ready'
  return ServiceID === service.ID && isToRun && !isOnNoNode(service, task)
}

/** Whether the Swarm has given it up before it ran, and its node does not say that it has ended. */
function isGivenUp({ DesiredState, Status }: Task): boolean {
  return (DesiredState === 'shutdown' || DesiredState === 'remove') && beforeItRuns.includes(Status.State)
}

/** Whether it is for one node, where one is to run on each, and that takes none any more: somebody drained it just then. */
function isOnNoNode({ Spec }: Pick<ToldService, 'Spec'>, { NodeID, Status }: Task): boolean {
  return (
    replicasOf(Spec) === 'global' &&
    Boolean(NodeID) &&
    Status.State === 'pending' &&
    /^\d+ nodes? not available for new tasks/.test(Status.Err ?? '')
  )
}

function unplacedText({ Spec }: ToldService): string {
  const { Constraints, Platforms } = Spec.TaskTemplate.Placement ?? {}
  const asked = [
    ...(Constraints ?? []),
    ...(Platforms ?? []).map(({ OS, Architecture }) => `${OS}/${Architecture}`),
  ]
  return asked.length === 0
    ? 'no node takes a task of it'
    : `no node has what it asks for: ${asked.join(', ')}`
}

/** What is said of a task that has no node while the Swarm says nothing: it may have one in a moment. */
export const notPlacedYet = 'no node has been chosen yet'

/** Returns why a task has no node, in the words of the Swarm. */
function pendingText({ Status }: Task): string {
  return Status.Err || notPlacedYet
}
