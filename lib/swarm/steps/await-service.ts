import { steadyMs } from '../../clock.ts'
import type { Client } from '../../docker/api/client.ts'
import { poll } from '../../docker/api/look-until.ts'
import { Failure } from '../../errors.ts'
import type { Provenance } from '../../plan/step/placement.ts'
import type { SwarmStep } from '../../plan/step/swarm-step.ts'
import { label, labelOf } from '../../state/labels.ts'
import { secondsText } from '../../text/time.ts'
import { failureText, type Standing, standingOf } from '../observe/standing.ts'
import { findService, tasksOf } from '../service/find.ts'
import { verdictOn } from '../service/verdict.ts'

type AwaitService = Extract<SwarmStep, { do: 'await-service' }>

/**
 * Waits until all tasks of a service run as it is specified, and have for as long as the health gate asks (G12), and
 * until what they replace has ended, unless that takes longer than the deadline. Fails with `exited-early` if they fail, with `update-stopped` if the Swarm gave up the update, with `task-unplaced` or
 * `health-timeout` after the time, and with `service-changed` if somebody gave it another specification.
 */
export async function awaitService(
  client: Client,
  { service, fingerprint, parallelism, healthyMs, timeoutMs }: AwaitService,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  let last: Standing | undefined
  let isOnlyEnding = false
  let runsSinceMs: number | undefined
  const look = async () => {
    const there = await unlessLeaderless(() => findService(client, service, provenance, signal))
    // Another leader is chosen within seconds, and the update goes on.
    if (there === 'leaderless') return undefined
    if (there === undefined || labelOf(there.Spec.Labels, label.fingerprint) !== fingerprint)
      throw new Failure(
        'service-changed',
        `${client.site}: ${service}: somebody changed it at the same time`,
        {
          resource: service,
        },
      )
    const tasks = await unlessLeaderless(() => tasksOf(client, there, signal))
    if (tasks === 'leaderless') return undefined
    const standing = standingOf(there, tasks)
    last = standing
    // The Swarm's clock is not ours: what counts is for how long all of them have been seen to run.
    const doRun = standing.running >= standing.wanted
    runsSinceMs = doRun ? (runsSinceMs ?? steadyMs()) : undefined
    const times = { forMs: runsSinceMs === undefined ? 0 : steadyMs() - runsSinceMs, healthyMs }
    const verdict = verdictOn(there.UpdateStatus, standing, times)
    isOnlyEnding = verdictOn(there.UpdateStatus, { ...standing, endsWithinMs: 0 }, times) === 'passed'
    return verdict === 'waiting' ? undefined : { verdict, standing, said: there.UpdateStatus?.Message ?? '' }
  }
  const first = await look()
  const batches = parallelism === 0 ? 1 : Math.max(1, Math.ceil((last?.wanted ?? 1) / parallelism))
  const limitMs = timeoutMs * batches
  const end = first ?? (await poll(`${client.site}: ${service}`, look, limitMs, signal))
  const fail = (
    code: 'exited-early' | 'update-stopped' | 'task-unplaced' | 'health-timeout',
    words: string,
  ) => new Failure(code, `${client.site}: ${service}: ${words}`, { resource: service })
  switch (end?.verdict) {
    case 'passed':
      return
    case 'failing':
      throw fail('exited-early', `its tasks fail: ${failureText(end.standing.failed)}`)
    case 'stopped': {
      const why = end.standing.failed.length === 0 ? end.said : failureText(end.standing.failed)
      throw fail('update-stopped', `the Swarm stopped the update: ${why}`)
    }
    default: {
      const { running = 0, wanted = 0, pending, failed = [] } = last ?? {}
      if (isOnlyEnding) return
      const words = `${running} of ${wanted} tasks run after ${secondsText(limitMs)}`
      if (pending !== undefined) throw fail('task-unplaced', `${words}: ${pending}`)
      throw fail('health-timeout', failed.length === 0 ? words : `${words}: ${failureText(failed)}`)
    }
  }
}

async function unlessLeaderless<T>(asked: () => Promise<T>): Promise<T | 'leaderless'> {
  try {
    return await asked()
  } catch (error) {
    if (error instanceof Failure && error.code === 'swarm-unavailable') return 'leaderless'
    throw error
  }
}
