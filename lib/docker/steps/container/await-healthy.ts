import { steadyMs } from '../../../clock.ts'
import { Failure } from '../../../errors.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { secondsText } from '../../../text/time.ts'
import { poll } from '../../../wait/poll.ts'
import type { Client } from '../../api/client.ts'
import { goingDown, isGoingDown } from '../../api/going-down.ts'
import { givenUp, restartsIn, verdict, wasStartedAnew } from '../../container/inspect/health-gate.ts'
import {
  hasEnded,
  type Inspected,
  inspectExisting,
  isContainerUp,
  lastOutput,
} from '../../container/inspect/inspect.ts'
import { type Bounds, excerpt, hiding } from '../../container/output/excerpt.ts'
import { logTail } from '../../container/output/log-tail.ts'
import { type Note, notePostMortem } from '../../container/post-mortem/post-mortem.ts'
import { uptimeMs } from './uptime.ts'

type AwaitHealthy = StepOf<'await-healthy'>

/** How much of the output of a container is part of its failure. */
const said: Bounds = { lines: 20, characters: 4_000 }

/** How long a container that crashed unseen is watched for its next crash. */
const crashesWithinMs = 2_000

type Failed = {
  readonly failure: Failure
  /** The container as it was when its process had ended. It may run again by now. */
  readonly end?: Inspected
}

/**
 * Waits for a container's health gate (G12). If a sandbox reports that a container has to be restarted, fails at once.
 * Fails with `unhealthy`, `exited-early`, `health-timeout` or `container-missing`. The message ends with the
 * container's last output, and its record is noted.
 */
export async function awaitHealthy(
  client: Client,
  step: AwaitHealthy,
  signal: AbortSignal,
  note: Note = () => {},
): Promise<void> {
  try {
    const failed = await gate(client, step, signal)
    if (failed === undefined) return
    await notePostMortem(client, step.container, note, failed.end)
    throw failed.failure
  } catch (error) {
    if (isOutOfTime(signal)) await notePostMortem(client, step.container, note)
    throw error
  }
}

/** Returns how the gate was failed; undefined if it was passed. */
async function gate(client: Client, step: AwaitHealthy, signal: AbortSignal): Promise<Failed | undefined> {
  const { container, healthyMs, timeoutMs, ranBefore } = step
  let watched: { readonly first: Inspected; readonly sinceMs: number } | undefined
  let end: Inspected | undefined
  const look = async () => {
    const now = await inspectExisting(client, container, signal)
    // The engine answers late while it starts a container, so only time after an answer counts.
    if (watched === undefined) {
      const sinceMs = steadyMs() - (ranBefore === true ? await uptimeMs(client, now, signal) : 0)
      watched = { first: now, sinceMs }
    } else if (wasStartedAnew(now, watched.first)) watched = { first: now, sinceMs: steadyMs() }
    if (hasEnded(now) || now.State.Status === 'restarting') end = now
    const { first, sinceMs } = watched
    const seen = verdict(now, { first, forMs: steadyMs() - sinceMs, healthyMs })
    const said = seen === 'waiting' && givenUp(now) !== undefined ? 'unhealthy' : seen
    return said === 'waiting' ? undefined : { said, now, first }
  }
  const last = await poll(`${client.site}: ${container}`, look, timeoutMs, signal)
  const failed = (failure: Failure): Failed => ({ failure, ...(end === undefined ? {} : { end }) })
  switch (last?.said) {
    case 'passed':
      return undefined
    case 'unhealthy':
      return failed(
        failure(client, 'unhealthy', container, 'its health check fails', whatFails(client, last.now)),
      )
    case 'exited': {
      const howNow = () => howItEnded(last.now, restartsIn(last.now, last.first), end)
      if (await isGoingDown(client, signal, container)) throw goingDown(client, container, howNow())
      if (last.now.State.Status === 'running') end ??= await nextEnd(client, last.now, signal)
      const how = howNow()
      const words = await lastWords(client, last.now, signal)
      return failed(failure(client, 'exited-early', container, how, words))
    }
    case undefined: {
      const now = await inspectExisting(client, container, signal)
      const health = now.State.Health?.Status ?? now.State.Status
      const what = `not healthy within ${secondsText(timeoutMs)}, still ${health}`
      return failed(failure(client, 'health-timeout', container, what, lastCheck(client, now)))
    }
  }
}

/** A container that crashed will soon crash again, and then shows its exit code. */
async function nextEnd(
  client: Client,
  { Id }: Inspected,
  signal: AbortSignal,
): Promise<Inspected | undefined> {
  const look = async () => {
    const now = await inspectExisting(client, Id, signal)
    return hasEnded(now) || now.State.Status === 'restarting' ? now : undefined
  }
  return poll(`${client.site}: ${Id}`, look, crashesWithinMs, signal)
}

/** Whether the wait was interrupted because the rollout as a whole took too long. */
function isOutOfTime({ reason }: AbortSignal): boolean {
  return reason instanceof Failure && reason.code === 'rollout-timeout'
}

function howItEnded(now: Inspected, restarts: number, end: Inspected = now): string {
  const { OOMKilled, Error: error, ExitCode } = end.State
  const again = now.State.Status === 'restarting' ? restarts + 1 : restarts
  const often = again > 1 ? `ended ${again} times, last ` : ''
  if (OOMKilled) return `${often}killed because it used up its memory`
  if (error !== '') return error
  if (hasEnded(end) || end.State.Status === 'restarting')
    return `${often === '' ? 'exited' : often.trimEnd()} with code ${ExitCode}`
  return isContainerUp(now) && again > 0
    ? `ended ${again === 1 ? 'once' : `${again} times`}`
    : `does not run, it is ${now.State.Status}`
}

function lastCheck({ redact }: Client, now: Inspected): string {
  return excerpt(lastOutput(now), hiding(redact, now.Config.Env), said)
}

/** Returns for what a probe has used up its threshold, or else what the check said. */
function whatFails(client: Client, now: Inspected): string {
  const words = givenUp(now)
  return words === undefined
    ? lastCheck(client, now)
    : excerpt(words, hiding(client.redact, now.Config.Env), said)
}

async function lastWords(client: Client, { Id, Config }: Inspected, signal: AbortSignal): Promise<string> {
  const written = await logTail(client, Id, signal, said)
  return excerpt(written ?? '', hiding(client.redact, Config.Env), said)
}

function failure(
  client: Client,
  code: 'unhealthy' | 'exited-early' | 'health-timeout',
  container: string,
  what: string,
  words: string,
): Failure {
  const message = `${client.site}: ${container}: ${what}${words === '' ? '' : `: ${words}`}`
  return new Failure(code, message, { resource: container })
}
