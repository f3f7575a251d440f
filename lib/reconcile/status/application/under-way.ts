import type { OpenAttempt } from '../../../journal/services/attempts.ts'
import { optional } from '../../../object.ts'
import type { TasksOfService } from '../../../state/pass/tasks-now.ts'
import { optionalTime } from '../../../text/time.ts'
import { type ApplicationStatus, isAsWanted } from './application-status.ts'
import { type ApplicationGoingBack, goingBack } from './going-back.ts'
import { tasksText, tasksUnderWay, withTasksNow } from './tasks-under-way.ts'
import { noLongerWaiting } from './waiting/no-longer-waiting.ts'
import type { QueuedVersion } from './waiting/queue-view.ts'

/**
 * Says of applications of which something has begun since they were seen that this is so (G13). Of those that were found
 * waiting, it runs to its end: no window and no turn keeps it from that (A62). Those that were found as wanted are not any
 * more. Nor is what was found blocked or not as wanted, if it was seen before that began. What was found to be brought to
 * the version that has begun is on its way. It may have been begun by an earlier process.
 * @param seen the tasks of services of Swarms that this process waits for
 * @param seenMs when a site was seen, in ms since 1970; undefined: that is not known
 */
export function withUnderWay(
  all: readonly ApplicationStatus[],
  begun: readonly OpenAttempt[],
  seen: readonly TasksOfService[] = [],
  seenMs: (site: string) => number | undefined = () => undefined,
  back: readonly ApplicationGoingBack[] = [],
): readonly ApplicationStatus[] {
  const now = withTasksNow(all, seen)
  if (begun.length + back.length === 0) return now
  const known = new Map(begun.toReversed().map(one => [applicationKey(one), one]))
  const ways = new Map(back.map(one => [applicationKey(one), one]))
  return now.map(one => {
    const way = ways.get(applicationKey(one))
    if (way !== undefined) return goingBack(one, way, seen)
    const attempt = known.get(applicationKey(one))
    if (attempt === undefined) return one
    if (one.seenAt !== undefined) return outOfSight(one, attempt)
    if (one.code === 'suspended') return halted(one, attempt)
    const tasks = tasksText(tasksUnderWay(one, seen))
    if (isWaiting(one)) return underWay(one, attempt, tasks)
    if (isAsBefore(one) || isOlder(attempt, seenMs(one.site))) return overtaken(one, attempt, tasks)
    return isOnItsWay(one, attempt) ? onItsWay(one, attempt, tasks) : one
  })
}

/** Returns a text that tells an application on a site from all others. */
export function applicationKey({
  site,
  application,
}: Pick<ApplicationStatus, 'site' | 'application'>): string {
  return JSON.stringify([site, application])
}

/** What is blocked does not go on either. */
function isWaiting({ code, sync, leftOver }: ApplicationStatus): boolean {
  return code !== undefined && sync !== 'Unknown' && leftOver !== true
}

function isAsBefore(one: ApplicationStatus): boolean {
  return isAsWanted(one) && (one.code === undefined || one.leftOver === true)
}

function isOlder({ begunAtMs }: OpenAttempt, seenMs: number | undefined): boolean {
  return begunAtMs !== undefined && seenMs !== undefined && begunAtMs > seenMs
}

/** A pass that did not get as far as to go on with it has seen it. */
function isOnItsWay({ code, sync, wantedVersion }: ApplicationStatus, { of }: OpenAttempt): boolean {
  const isKnown = wantedVersion !== undefined && of?.version === wantedVersion
  return isKnown && code === undefined && sync === 'OutOfSync'
}

/** Nobody has seen since then what has become of it. */
function outOfSight(one: ApplicationStatus, { of }: OpenAttempt): ApplicationStatus {
  const began = `${whatBegan(of?.version)} had begun there, and nobody knows how far it is`
  return { ...one, reason: one.reason === '' ? began : `${one.reason}; ${began}` }
}

/** A process ended in the middle of it, and none goes on with it while it is suspended. */
function halted(one: ApplicationStatus, { of }: OpenAttempt): ApplicationStatus {
  return { ...one, reason: `${one.reason}; ${whatBegan(of?.version)} had begun, and goes on after that` }
}

function onItsWay(one: ApplicationStatus, attempt: OpenAttempt, tasks: string): ApplicationStatus {
  return begunNow(one, attempt, andTasks(`${whatBegan(one.wantedVersion)} has begun`, tasks))
}

function overtaken(one: ApplicationStatus, attempt: OpenAttempt, tasks: string): ApplicationStatus {
  const { version = '' } = attempt.of ?? {}
  const what = version === '' || version === one.version ? 'a change' : whatBegan(version)
  const reason = `${what} has begun${tasks === '' ? '; the version and the health shown are from before it' : `: ${tasks}`}`
  const { wantedVersion: wanted, ...begun } = begunNow(one, attempt, reason)
  // Of several versions in a queue, the wanted one comes last.
  const goal = one.queue === undefined && version !== '' ? version : wanted
  return {
    ...begun,
    ...optional('wantedVersion', goal === one.version ? undefined : goal),
    sync: 'OutOfSync',
  }
}

function begunNow(one: ApplicationStatus, { begunAtMs }: OpenAttempt, reason: string): ApplicationStatus {
  return { ...noLongerWaiting(one), reason, ...optionalTime('since', begunAtMs) }
}

/** Returns what has begun, in words: the rollout of a version, if that is known. */
export function whatBegan(version = ''): string {
  return version === '' ? 'a rollout' : `the rollout of version ${version}`
}

function underWay(one: ApplicationStatus, attempt: OpenAttempt, tasks: string): ApplicationStatus {
  const { version = '' } = attempt.of ?? {}
  const reason = andTasks(`${whatBegan(version)} has begun, and runs to its end`, tasks)
  return {
    ...begunNow(one, attempt, reason),
    ...(one.queue === undefined ? {} : { queue: one.queue.map(queued => inQueue(queued, version)) }),
  }
}

function andTasks(words: string, tasks: string): string {
  return tasks === '' ? words : `${words}: ${tasks}`
}

function inQueue(queued: QueuedVersion, begun: string): QueuedVersion {
  const { reason: _, ...told } = queued
  if (queued.version === begun) return { ...told, state: 'next' }
  return queued.state === 'next' ? { ...queued, state: 'later' } : queued
}
