import { steadyMs } from '../../clock.ts'
import type { Skipped } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import type { StepOf } from '../../plan/step/step.ts'
import { secondsText } from '../../text/time.ts'
import { pause, poll } from '../../wait/poll.ts'
import { unreadLog } from '../container/output/log-tail.ts'
import { noteNews } from '../container/post-mortem/note-news.ts'
import type { Note } from '../container/post-mortem/post-mortem.ts'
import { getsAnotherTry } from './failure-policy.ts'
import { nameOfJob, type RunnableJob, type SeenJob } from './job.ts'

type RunToEnd = StepOf<'run-to-end'>

/** One run of the step. Times are on the steady clock. */
type Run = {
  readonly job: RunnableJob
  readonly step: RunToEnd
  readonly isDeploy: boolean
  readonly endMs: number
  readonly signal: AbortSignal
  readonly note: Note
}

const firstPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Runs a job to its end (H4, H23). A running one is waited for. One that has ended is judged by its exit code,
 * and is not started again unless `again` says so, or it failed and is to be tried again (H22). One that an engine
 * could not start before has never run, and is started.
 *
 * Every failed try is noted (H7) with the container's last output, and the record of a container that fails. One that
 * somebody removes has failed for good, whatever was to be tried again: nobody can say what it did (H4). Only an init
 * container, which runs at each start, may be made anew: `container-missing`. An aborted wait leaves a job running,
 * unless the time for the whole rollout is over: then a hook is stopped like one that takes too long itself. Fails with
 * `job-failed`, `job-timeout`, `rollout-timeout`, `container-missing` and whatever keeps it from being started. Says so
 * if it failed and that is ignored.
 */
export async function runToEnd(
  job: RunnableJob,
  step: RunToEnd,
  signal: AbortSignal,
  note: Note,
): Promise<Skipped | undefined> {
  let seen: SeenJob | undefined
  const look = async (signal: AbortSignal) => {
    seen = await job.look(signal)
    return seen
  }
  try {
    return await toItsEnd({ ...job, look }, step, signal, note)
  } catch (error) {
    if (isRolloutTimeout(signal.reason)) throw await stopOverdue(job, signal.reason, note)
    if (!(error instanceof Failure)) throw error
    if (error.code === 'job-failed' || error.code === 'job-timeout') await job.notePostMortem(note)
    if (error.code !== 'container-missing') throw error
    const words = 'somebody removed it before it had ended'
    note(words)
    // What comes after it must not run beside it.
    if (step.onFailure === 'ignore') {
      await job.awaitRemoved(signal)
      return ignored
    }
    const about = { resource: job.name, cause: error }
    const message = `${job.site}: ${job.name}: ${words}`
    throw seen?.isInit
      ? new Failure('container-missing', message, about)
      : new Failure('job-failed', message, { ...about, hint: afterRemovalHint })
  }
}

const ignored: Skipped = { skipped: 'failed, which is ignored' }

async function toItsEnd(
  job: RunnableJob,
  step: RunToEnd,
  signal: AbortSignal,
  note: Note,
): Promise<Skipped | undefined> {
  const found = await job.look(signal)
  const endMs = await limitOf(job, found, step, signal)
  const run: Run = { job, step, isDeploy: found.isDeploy, endMs, signal, note }
  // What could not be started never ran, whatever the reason was.
  if (found.hasEnded && found.startedAtMs !== undefined && step.again === undefined) {
    const failure = await failureOf(run, found)
    if (failure === undefined) return undefined
    if (!getsAnotherTry(run, `an earlier try ${failure}`, found)) return ignored
    await awaitNext(run, firstPauseMs, `an earlier try ${failure}`)
  }
  let before = found
  for (let number = 1, pauseMs = firstPauseMs; ; number += 1) {
    const ended = await attempt(run, before)
    if (ended === undefined) return outOfTime(run)
    const failure = await failureOf(run, ended, before)
    if (failure === undefined) return undefined
    if (!getsAnotherTry(run, `try ${number} ${failure}`, ended)) return ignored
    await awaitNext(run, pauseMs, `try ${number} ${failure}`)
    before = ended
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

/** Waits before the next try. Fails with `job-timeout` if the time is over by then, and says what failed before. */
async function awaitNext(run: Run, pauseMs: number, words: string): Promise<void> {
  const leftMs = run.endMs - steadyMs()
  await pause(nameOfJob(run.job), Math.max(0, Math.min(pauseMs, leftMs)), run.signal)
  if (leftMs <= pauseMs) throw late(run, `; ${words}`)
}

/**
 * Returns when the time is over. It counts from now if the container has never run, or is to be started `again`;
 * otherwise from when the job began, however often it was tried since (H4). A container that was made anew began no
 * earlier than that. Where nothing says when it began, its last start by the engine's clock counts. (Its creation alone
 * says nothing, because all jobs of a rollout are created before the first of them runs.)
 */
async function limitOf(
  job: RunnableJob,
  found: SeenJob,
  { timeoutMs, again, lastedMs = 0 }: RunToEnd,
  signal: AbortSignal,
): Promise<number> {
  if (timeoutMs === undefined) return Number.POSITIVE_INFINITY
  const fromMs = steadyMs()
  if (again === true && found.hasEnded) return fromMs + timeoutMs
  const { createdAtMs = Number.NEGATIVE_INFINITY, startedAtMs } = found
  if (startedAtMs === undefined) return fromMs + timeoutMs
  const engineMs = await job.clockMs(signal)
  const sinceBegunMs = Math.min(lastedMs, engineMs - createdAtMs)
  return fromMs + timeoutMs - Math.max(0, engineMs - startedAtMs, sinceBegunMs)
}

/** Makes one try, and returns the job as it ended, or could not be started; undefined if the time is over first. */
async function attempt(run: Run, before: SeenJob): Promise<SeenJob | undefined> {
  const { job, endMs, signal, note } = run
  try {
    if (!before.isUp) await job.start(signal, note)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'start-refused') throw error
    const now = await job.look(signal)
    if (!now.hasEnded) throw error
    return now
  }
  const tell = noteNews(note)
  const look = async () => {
    const now = await job.look(signal)
    if (now.hasEnded) return now
    tell(now.waitsFor, 'it runs')
    return undefined
  }
  return poll(nameOfJob(run.job), look, endMs - steadyMs(), signal)
}

/**
 * Returns how a job failed, in words; undefined if it succeeded. Its last output is noted, or part of the words. It is
 * the output of this try alone, if the job was seen as it ended `before`.
 */
async function failureOf(
  { job, signal, note }: Run,
  { exitCode, error, endedBy }: SeenJob,
  before?: SeenJob,
): Promise<string | undefined> {
  const said = error === '' ? await job.output(before, signal) : error
  const words = said ?? unreadLog
  const end = endedBy ?? (exitCode === 0 ? undefined : `failed with exit code ${exitCode}`)
  if (end !== undefined) return `${end}${words === '' ? '' : `: ${words}`}`
  if (words !== '') note(said === undefined ? words : `output: ${words}`)
  return undefined
}

/** Nobody but a person knows that of what somebody removed, either, and nothing tells what it wrote. */
const afterRemovalHint =
  'The release did not fail by itself. Find out who removed it and how far it came, and run "tallyman retry" if it may run again, or "tallyman apply --retry" where no daemon runs.'

/** Stops what took too long. Fails with `job-timeout` unless that is ignored. */
async function outOfTime(run: Run): Promise<Skipped> {
  const { job, step, signal, note } = run
  const { waitsFor } = await job.look(signal)
  await job.stop(signal)
  const failure = late(run, waitsFor === undefined ? '' : `: ${waitsFor}`)
  note('did not end in time, and was stopped')
  if (step.onFailure !== 'ignore') throw failure
  return ignored
}

/** Stops a hook because the whole rollout has taken too long. What must not be interrupted continues (P7). */
async function stopOverdue(
  job: RunnableJob,
  { message, resource }: Failure,
  note: (words: string) => void,
): Promise<Failure> {
  const uncut = new AbortController().signal
  const there = await job.look(uncut).catch(() => undefined)
  if (there?.isUp && !there.isDeploy) {
    await job.stop(uncut)
    note('was stopped, as the time for the rollout is over')
  }
  const words = `${message}: ${job.name} had not ended`
  return new Failure('rollout-timeout', words, { resource: resource ?? job.name })
}

function isRolloutTimeout(reason: unknown): reason is Failure {
  return reason instanceof Failure && reason.code === 'rollout-timeout'
}

function late(run: Run, more: string): Failure {
  const { timeoutMs = 0 } = run.step
  const message = `${nameOfJob(run.job)}: did not finish within ${secondsText(timeoutMs)}${more}`
  return new Failure('job-timeout', message, { resource: run.job.name })
}
