import { steadyMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import type { Step } from '../../plan/step/step.ts'
import type { Identity } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import { secondsText } from '../../text/time.ts'
import type { Client } from '../api/client.ts'
import { pause, poll } from '../api/look-until.ts'
import { type Bounds, excerpt, hiding } from '../container/excerpt.ts'
import {
  hasEnded,
  type Inspected,
  inspectContainer,
  inspectExisting,
  isContainerUp,
  startedAtMs,
} from '../container/inspect.ts'
import { logTail } from '../container/log-tail.ts'
import { type Note, notePostMortem } from '../container/post-mortem.ts'
import { jobGraceMs } from './abort-hook.ts'
import { startContainer } from './start-container.ts'
import { stopWithin } from './stop-container.ts'
import { uptimeMs } from './uptime.ts'

type RunToEnd = Extract<Step, { do: 'run-to-end' }>

/** One run of the step. Times are on the steady clock. */
type Run = {
  readonly client: Client
  readonly step: RunToEnd
  readonly owner: Identity
  /** Whether it is the deploy phase of a Pallet application, which is never interrupted (P7). */
  readonly isDeploy: boolean
  readonly endMs: number
  readonly signal: AbortSignal
  readonly note: Note
}

const firstPauseMs = 1_000
const longestPauseMs = 30_000
/** How much of the output of a job is noted. */
const output: Bounds = { lines: 50, characters: 2_000 }

/**
 * Runs a container to its end (H4, H23). A running one is waited for. One that has ended is judged by its exit code,
 * and is not started again unless `again` says so, or it failed and is to be tried again (H22). One that an engine
 * could not start before has never run, and is started.
 *
 * Every failed try is noted (H7) with the container's last output, and the record of a container that fails. A
 * container that somebody removes counts as failed. An aborted wait leaves it running, unless the time for the whole
 * rollout is over: then a hook is stopped like one that takes too long itself. Fails with `job-failed`, `job-timeout`,
 * `rollout-timeout`, `container-missing` and whatever keeps it from being started.
 */
export async function runToEnd(
  client: Client,
  step: RunToEnd,
  owner: Identity,
  signal: AbortSignal,
  note: Note,
): Promise<void> {
  try {
    await toItsEnd(client, step, owner, signal, note)
  } catch (error) {
    if (isRolloutTimeout(signal.reason)) throw await stopOverdue(client, step, signal.reason, note)
    if (!(error instanceof Failure)) throw error
    if (error.code === 'job-failed' || error.code === 'job-timeout')
      await notePostMortem(client, step.container, note)
    if (error.code !== 'container-missing') throw error
    const words = 'somebody removed it before it had ended'
    note(words)
    if (step.onFailure === 'ignore') return
    const message = `${client.site}: ${step.container}: ${words}`
    throw new Failure('container-missing', message, { resource: step.container, cause: error })
  }
}

async function toItsEnd(
  client: Client,
  step: RunToEnd,
  owner: Identity,
  signal: AbortSignal,
  note: Note,
): Promise<void> {
  const found = await inspectExisting(client, step.container, signal)
  const endMs = await limitOf(client, found, step, signal)
  const run: Run = { client, step, owner, isDeploy: isDeploy(found), endMs, signal, note }
  // What could not be started never ran, whatever the reason was.
  const ran = hasEnded(found) && startedAtMs(found) !== undefined
  if (ran && step.again === undefined) {
    const failure = await failureOf(run, found)
    if (failure === undefined || !isTriedAgain(run, `an earlier try ${failure}`)) return
    if (run.endMs <= steadyMs()) throw late(run, `; an earlier try ${failure}`)
    await pause(nameOf(run), firstPauseMs, signal)
  }
  let before = found
  for (let number = 1, pauseMs = firstPauseMs; ; number += 1) {
    const ended = await attempt(run, before)
    if (ended === undefined) return outOfTime(run)
    const failure = await failureOf(run, ended, before)
    if (failure === undefined || !isTriedAgain(run, `try ${number} ${failure}`)) return
    const leftMs = run.endMs - steadyMs()
    await pause(nameOf(run), Math.max(0, Math.min(pauseMs, leftMs)), signal)
    if (leftMs <= pauseMs) throw late(run, `; try ${number} ${failure}`)
    before = ended
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

/**
 * Returns when the time is over. It counts from now if the container is to be started for the first time, or `again`;
 * otherwise from its last start, by the engine's clock. (Its creation says nothing, because all jobs of a rollout are
 * created before the first of them runs.)
 */
async function limitOf(
  client: Client,
  found: Inspected,
  { timeoutMs, again }: RunToEnd,
  signal: AbortSignal,
): Promise<number> {
  if (timeoutMs === undefined) return Number.POSITIVE_INFINITY
  const fromMs = steadyMs()
  if (again === true && hasEnded(found)) return fromMs + timeoutMs
  return fromMs + timeoutMs - (await uptimeMs(client, found, signal))
}

/**
 * Makes one try, and returns the container as it ended, or could not be started; undefined if the time is over first.
 */
async function attempt(run: Run, before: Inspected): Promise<Inspected | undefined> {
  const { client, step, owner, endMs, signal, note } = run
  try {
    if (!isContainerUp(before))
      await startContainer(client, { container: step.container }, owner, signal, note)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'start-refused') throw error
    const now = await inspectExisting(client, step.container, signal)
    if (!hasEnded(now)) throw error
    return now
  }
  const look = async () => {
    const now = await inspectExisting(client, step.container, signal)
    return hasEnded(now) ? now : undefined
  }
  return poll(nameOf(run), look, endMs - steadyMs(), signal)
}

/**
 * Returns how a container failed, in words; undefined if it succeeded. Its last output is noted, or part of the words.
 * It is the output of this try alone, if the container was seen as it ended `before`.
 */
async function failureOf(
  { client, signal, note }: Run,
  ended: Inspected,
  before?: Inspected,
): Promise<string | undefined> {
  const { ExitCode, Error: error } = ended.State
  const ranBefore = before !== undefined && hasEnded(before) && startedAtMs(before) !== undefined
  const since = ranBefore ? { since: betweenTries(before.State.FinishedAt) } : {}
  const span = { lines: output.lines, ...since }
  const said = error === '' ? await logTail(client, ended.Id, signal, span) : error
  const words = excerpt(said, hiding(client.redact, ended.Config.Env), output)
  if (ExitCode !== 0) return `failed with exit code ${ExitCode}${words === '' ? '' : `: ${words}`}`
  if (words !== '') note(`output: ${words}`)
  return undefined
}

/**
 * Returns a moment after everything that a try wrote, and before the next one writes. The engine dates what it reads,
 * which may be a little after the container's end, and a container may write before the engine says that it started.
 */
function betweenTries(finishedAt: string): string {
  return new Date(Date.parse(finishedAt) + firstPauseMs / 2).toISOString()
}

/**
 * Notes a failed try, and returns whether there will be another. Fails with `job-failed` if the rollout must not
 * continue.
 */
function isTriedAgain(run: Run, words: string): boolean {
  run.note(words)
  switch (run.step.onFailure) {
    case 'retry':
      return true
    case 'ignore':
      return false
    case 'abort':
      throw new Failure('job-failed', `${nameOf(run)}: ${words}`, {
        resource: run.step.container,
        ...(run.isDeploy ? { hint: afterDeployHint } : {}),
      })
  }
}

/** The image of such a version is barred, whatever else a commit corrects (P6). */
const afterDeployHint =
  'Read its output in "tallyman show". Then deploy another image; or correct whatever it depends on, and run "tallyman retry", or "tallyman apply --retry" where no daemon runs.'

/** Stops what took too long. */
async function outOfTime(run: Run): Promise<void> {
  const { client, step, signal, note } = run
  await stopWithin(client, await inspectExisting(client, step.container, signal), jobGraceMs, signal)
  const failure = late(run, '')
  note('did not end in time, and was stopped')
  if (step.onFailure !== 'ignore') throw failure
}

/** Stops a hook because the whole rollout has taken too long. What must not be interrupted continues (P7). */
async function stopOverdue(
  client: Client,
  { container }: RunToEnd,
  { message, resource }: Failure,
  note: (words: string) => void,
): Promise<Failure> {
  const uncut = new AbortController().signal
  const there = await inspectContainer(client, container, uncut)
  if (there !== undefined && isContainerUp(there) && !isDeploy(there)) {
    await stopWithin(client, there, jobGraceMs, uncut)
    note('was stopped, as the time for the rollout is over')
  }
  const words = `${message}: ${container} had not ended`
  return new Failure('rollout-timeout', words, { resource: resource ?? container })
}

function isRolloutTimeout(reason: unknown): reason is Failure {
  return reason instanceof Failure && reason.code === 'rollout-timeout'
}

function late(run: Run, more: string): Failure {
  const { container, timeoutMs = 0 } = run.step
  const message = `${nameOf(run)}: did not finish within ${secondsText(timeoutMs)}${more}`
  return new Failure('job-timeout', message, { resource: container })
}

function isDeploy({ Config }: Inspected): boolean {
  return labelOf(Config.Labels, label.role) === 'deploy'
}

function nameOf({ client, step }: Run): string {
  return `${client.site}: ${step.container}`
}
