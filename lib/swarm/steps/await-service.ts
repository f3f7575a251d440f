import { steadyMs } from '../../clock.ts'
import { noteNews } from '../../docker/container/post-mortem/note-news.ts'
import type { Note } from '../../docker/container/post-mortem/post-mortem.ts'
import { Failure } from '../../errors.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import type { SwarmStep } from '../../plan/step/swarm-step.ts'
import { label, labelOf } from '../../state/labels.ts'
import type { TasksNow } from '../../state/pass/tasks-now.ts'
import { secondsText } from '../../text/time.ts'
import { poll } from '../../wait/poll.ts'
import type { Task, ToldService } from '../api/service.ts'
import { nodesText } from '../observe/nodes.ts'
import { failureText } from '../observe/task/failure-text.ts'
import { keptText, notPlacedYet, type Standing, standingOf } from '../observe/task/standing.ts'
import { tasksTeller } from '../observe/task/tasks-now.ts'
import { lastWordsOf } from '../service/task-record.ts'
import { type UpdateVerdict, verdictOn } from '../service/verdict.ts'
import type { Manager } from './apply-service.ts'
import { beginAnew, heldUpBy, lastingTasks, waitsInVain } from './pass-over.ts'

type AwaitService = Extract<SwarmStep, { do: 'await-service' }>

/**
 * A service and its tasks as they were seen last. `hasPassed`: all is well, but for what may still be ending. `vain`: what
 * its update waits for in vain, in words.
 */
type Seen = {
  readonly there: ToldService
  readonly standing: Standing
  readonly verdict: UpdateVerdict | 'crowded'
  readonly hasPassed: boolean
  readonly vain: string | undefined
}

type Reason = {
  readonly code:
    | 'exited-early'
    | 'pull-failed'
    | 'mount-refused'
    | 'update-stopped'
    | 'task-unplaced'
    | 'health-timeout'
  readonly words: string
  /** Whose output explains it. */
  readonly task?: Task | undefined
}

/**
 * Waits until all tasks of a service run as it is specified, and have for as long as the health gate asks (G12), and
 * until what they replace has ended or is reached by nobody any more; with `untilEnded` until it has ended, unless that
 * takes longer than the deadline. Fails with `exited-early` if they fail, with `pull-failed` or `mount-refused` if no node
 * can pull their image or has a path that they mount, with `update-stopped` if the Swarm gave up the update, with
 * `task-unplaced` or `health-timeout` after the time, with `task-unplaced` at once where its own tasks leave no node for
 * another one, and with `service-changed` if somebody gave it another specification. If nobody decided in the Swarm for a
 * part of the time, so that it may have been too short, it fails with `swarm-unavailable` in place of `task-unplaced` and
 * `health-timeout`. The message ends with the last output of a task, and the record of that task is noted. On the way it
 * notes in the words of the Swarm what keeps tasks from running, and what has yet to end, and tells `seen` how the tasks
 * are.
 */
export async function awaitService(
  manager: Manager,
  step: AwaitService,
  provenance: Provenance,
  signal: AbortSignal,
  note: Note,
  seen: (now: TasksNow) => void = () => {},
): Promise<void> {
  const { client, looks } = manager
  const { service, fingerprint, parallelism, healthyMs, timeoutMs } = step
  const beganMs = steadyMs()
  let last: Seen | undefined
  let silence: Failure | undefined
  let runsSinceMs: number | undefined
  let crowdedSinceMs: number | undefined
  const tell = noteNews(note)
  const tellTasks = tasksTeller(manager, seen)
  const [lasting, isHeldUp] = [lastingTasks(), heldUpBy(parallelism)]
  let reachedMs: number | undefined
  const untilUnreached = async () => {
    reachedMs ??= (await looks(provenance).hasOneNode(signal)) ? reachedOnOneMs : reachedOnOthersMs
    return reachedMs
  }
  const look = async (): Promise<Seen | 'gone' | undefined> => {
    const looked = await orSilence(looks(provenance).service(service, signal))
    if (looked instanceof Failure) {
      // Another leader is chosen within seconds, and the update goes on.
      silence = looked
      return undefined
    }
    const { there, tasks = [] } = looked ?? {}
    if (there === undefined && fingerprint === undefined) return 'gone'
    if (there === undefined || !isAs(there, fingerprint)) {
      const words = `${client.site}: ${service}: somebody changed it at the same time`
      throw new Failure('service-changed', words, { resource: service })
    }
    const found = standingOf(there, tasks)
    await tellTasks({ there, tasks }, found, signal)
    const isComplete = there.UpdateStatus?.State === 'completed'
    const running = found.running - (isComplete ? 0 : found.kept.length)
    const doRun = running >= found.wanted
    // The Swarm's clock is not ours: what counts is for how long all of them have been seen to run.
    runsSinceMs = doRun ? (runsSinceMs ?? steadyMs()) : undefined
    const mayEndLater = doRun && found.endsWithinMs > 0 && !step.untilEnded
    const standing = {
      ...{ ...found, running, abandoned: lasting(found.abandoned) },
      endsWithinMs: Math.min(found.endsWithinMs, mayEndLater ? await untilUnreached() : Infinity),
    }
    const times = { forMs: runsSinceMs === undefined ? 0 : steadyMs() - runsSinceMs, healthyMs }
    crowdedSinceMs = standing.crowding === undefined ? undefined : (crowdedSinceMs ?? steadyMs())
    const isCrowded = crowdedSinceMs !== undefined && steadyMs() - crowdedSinceMs >= settledMs
    const verdict = isCrowded ? 'crowded' : verdictOn(there.UpdateStatus, standing, times)
    const hasPassed = hasPassedBut(there.UpdateStatus, standing, times)
    const vain = await waitsInVain(manager, standing.abandoned, signal)
    last = { there, standing, verdict, hasPassed, vain }
    const { wanted } = standing
    const isSettled = steadyMs() - beganMs >= settledMs
    const toEnd = verdict === 'waiting' && times.forMs >= tasksEndMs ? endingText(found) : undefined
    tell(
      whyOf(standing) ?? vain ?? (isSettled ? standing.unplaced : undefined) ?? toEnd,
      `${running} of ${wanted} tasks run`,
    )
    if (verdict === 'passed' && found.kept.length > 0) note(keptText(found.kept))
    if (verdict !== 'waiting') return last
    if (isHeldUp(there, standing)) {
      note('the Swarm begins the update anew without it')
      await beginAnew(manager, there, provenance, signal)
    }
    return undefined
  }
  const first = await look()
  const batches = parallelism === 0 ? 1 : Math.max(1, Math.ceil((last?.standing.wanted ?? 1) / parallelism))
  const limitMs = timeoutMs * batches
  const end = first ?? (await poll(`${client.site}: ${service}`, look, limitMs, signal)) ?? last
  if (end === 'gone' || end?.hasPassed) return
  // Who has seen nothing was told of that each time. What was seen before it, or within what it left of the time, says
  // nothing about the release, either.
  if (end === undefined || (silence !== undefined && end.verdict === 'waiting')) throw silence
  const { code, words, task } = (await troubleOf(manager, end, signal)) ?? reasonOf(end, limitMs, healthyMs)
  const said = task === undefined ? '' : await lastWordsOf(client, end.there, task, note)
  const message = `${client.site}: ${service}: ${words}${said === '' ? '' : `: ${said}`}`
  throw new Failure(code, message, { resource: service })
}

/** Whether all is well once the time is over, but for what may still be ending, and for what the Swarm still waits for. */
function hasPassedBut(
  update: ToldService['UpdateStatus'],
  standing: Standing,
  times: Parameters<typeof verdictOn>[2],
): boolean {
  const now = update?.State === 'updating' ? undefined : update
  return verdictOn(now, { ...standing, endsWithinMs: 0 }, times) === 'passed'
}

/**
 * How long a task may still get requests that is told to end, in ms. Its node takes its address away at once, and has the
 * other nodes hear of that for two seconds before it stops the task, on a quiet machine.
 */
const [reachedOnOneMs, reachedOnOthersMs] = [1_000, 5_000]

/** After how long it is said that old tasks have yet to end, in ms: most do so before. */
const tasksEndMs = 5_000

/** How long a Swarm may take to make the first task, or to look for a node again, in ms. */
const settledMs = 2_000

/** Returns why not all tasks run, in the words of the Swarm; undefined: all do, or it has said nothing. Pure. */
function whyOf({ running, wanted, pending, failed }: Standing): string | undefined {
  if (running >= wanted) return undefined
  if (pending !== undefined && pending !== notPlacedYet) return pending
  return failed.length === 0 ? undefined : failureText(failed)
}

/** Returns what a wait is for once all tasks run; undefined: for time, or for the Swarm. Pure. */
function endingText({ ending }: Standing): string | undefined {
  if (ending === 0) return undefined
  return `${ending} ${ending === 1 ? 'task' : 'tasks'} of before ${ending === 1 ? 'has' : 'have'} yet to end`
}

/** Returns why a wait for a service is given up. Pure. */
function reasonOf(seen: Seen, limitMs: number, healthyMs: number): Reason {
  const { failed, unplaced, kept, running, unready, wanted, crowding } = seen.standing
  const { pending = unplaced ?? seen.vain ?? (kept.length > 0 ? keptText(kept) : undefined) } = seen.standing
  const [task] = failed
  const why = failureText(failed)
  switch (seen.verdict) {
    case 'failing':
      return { code: 'exited-early', words: `its tasks fail: ${why}`, task }
    case 'stopped': {
      const told = why || (seen.there.UpdateStatus?.Message ?? '')
      return { code: 'update-stopped', words: `the Swarm stopped the update: ${told}`, task }
    }
    case 'crowded':
      return { code: 'task-unplaced', words: `${running} of ${wanted} tasks run: ${crowding ?? ''}` }
    case 'passed':
    case 'waiting': {
      const after = `after ${secondsText(limitMs)}`
      if (running >= wanted) {
        const young = `all its tasks run ${after}, but not for ${secondsText(healthyMs)} yet`
        return { code: 'health-timeout', words: why === '' ? young : `${young}: ${why}`, task }
      }
      const words = `${running} of ${wanted} tasks run ${after}`
      if (pending !== undefined) return { code: 'task-unplaced', words: `${words}: ${pending}` }
      if (task === undefined) return { code: 'health-timeout', words, task: unready[0] }
      return { code: 'health-timeout', words: `${words}: ${why}`, task }
    }
  }
}

/**
 * What nodes cannot do by themselves, in the words of their engines. It says nothing about the release, also where the
 * Swarm gave up an update for it. A node that cannot pull an image does not say why, only that it has none.
 */
const troubles = [
  { words: /^no such image:/i, code: 'pull-failed', what: 'pull' },
  { words: /bind source path does not exist/i, code: 'mount-refused', what: 'mount what it says' },
] as const

/** Returns what the nodes of all tasks that failed cannot do; undefined: they failed with something else, or may go on. */
async function troubleOf(
  { client, known }: Manager,
  { verdict, standing: { failed } }: Seen,
  signal: AbortSignal,
): Promise<Reason | undefined> {
  const trouble = troubles.find(({ words }) => failed.every(({ Status: { Err = '' } }) => words.test(Err)))
  if (trouble === undefined || failed.length === 0 || verdict === 'waiting') return undefined
  const where = await nodesText(client, known.nodes, failed, signal)
  return {
    code: trouble.code,
    words: `${where || 'its nodes'} cannot ${trouble.what}: ${failureText(failed)}`,
  }
}

function isAs({ Spec }: ToldService, fingerprint: string | undefined): boolean {
  return fingerprint === undefined || labelOf(Spec.Labels, label.fingerprint) === fingerprint
}

/** Returns the failure where the Swarm has nobody who decides. */
async function orSilence<T>(asked: Promise<T>): Promise<T | Failure> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Failure && error.code === 'swarm-unavailable') return error
    throw error
  }
}
