import { Failure } from '../../errors.ts'
import type { Step } from '../../plan/step.ts'
import type { Client } from '../client.ts'
import { excerpt } from '../excerpt.ts'
import { givenUp, verdict } from '../health-gate.ts'
import { type Inspected, inspectExisting, lastOutput } from '../inspect.ts'
import { logTail } from '../log-tail.ts'
import { poll } from '../poll.ts'

type AwaitHealthy = Extract<Step, { do: 'await-healthy' }>

/**
 * Waits for a container's health gate (G12). A sandbox that reports a container to be restarted fails at once. Fails with `unhealthy`, `exited-early`, `health-timeout` or
 * `container-missing`; the message ends with the container's own last words.
 */
export async function awaitHealthy(client: Client, step: AwaitHealthy, signal: AbortSignal): Promise<void> {
  const { container, healthyMs, timeoutMs } = step
  let watched: { readonly first: Inspected; readonly sinceMs: number } | undefined
  const look = async () => {
    const now = await inspectExisting(client, container, signal)
    // The engine answers late while it starts a container: only what was seen counts as watched.
    watched ??= { first: now, sinceMs: performance.now() }
    const { first, sinceMs } = watched
    const seen = verdict(now, { first, forMs: performance.now() - sinceMs, healthyMs })
    const said = seen === 'waiting' && givenUp(now) !== undefined ? 'unhealthy' : seen
    return said === 'waiting' ? undefined : { said, now }
  }
  const end = await poll(`${client.site}: ${container}`, look, timeoutMs, signal)
  switch (end?.said) {
    case 'passed':
      return
    case 'unhealthy':
      throw failure(client, 'unhealthy', container, 'its health check fails', whatFails(end.now))
    case 'exited':
      throw failure(
        client,
        'exited-early',
        container,
        howItEnded(end.now),
        await lastWords(client, end.now, signal),
      )
    case undefined: {
      const now = await inspectExisting(client, container, signal)
      const health = now.State.Health?.Status ?? now.State.Status
      const what = `not healthy within ${timeoutMs / 1000} s, still ${health}`
      throw failure(client, 'health-timeout', container, what, lastCheck(now))
    }
  }
}

function howItEnded({
  State: { Status, ExitCode, OOMKilled, Error: error },
  RestartCount,
}: Inspected): string {
  if (OOMKilled) return 'killed because it used up its memory'
  if (error !== '') return error
  if (Status === 'running') return `restarted ${RestartCount} times`
  if (Status === 'exited' || Status === 'restarting' || Status === 'dead')
    return `exited with code ${ExitCode}`
  return `does not run, it is ${Status}`
}

function lastCheck(now: Inspected): string {
  return excerpt(lastOutput(now), now.Config.Env ?? [])
}

/** What a probe has used up its threshold for, else what the check said. */
function whatFails(now: Inspected): string {
  const words = givenUp(now)
  return words === undefined ? lastCheck(now) : excerpt(words, now.Config.Env ?? [])
}

async function lastWords(client: Client, { Id, Config }: Inspected, signal: AbortSignal): Promise<string> {
  return excerpt(await logTail(client, Id, signal), Config.Env ?? [])
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
