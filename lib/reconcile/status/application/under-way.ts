import type { OpenAttempt } from '../../../journal/services/attempts.ts'
import type { ApplicationStatus } from './application-status.ts'
import type { QueuedVersion } from './queue-view.ts'

/**
 * Says of applications of which something has begun since they were seen that this is so (G13). Of those that were found
 * waiting, it runs to its end: no window and no turn keeps it from that (A62). Those that were found as wanted are not any
 * more. It may have been begun by an earlier process.
 */
export function withUnderWay(
  all: readonly ApplicationStatus[],
  begun: readonly OpenAttempt[],
): readonly ApplicationStatus[] {
  if (begun.length === 0) return all
  const known = new Map(begun.toReversed().map(one => [placeOf(one), one]))
  return all.map(one => {
    const attempt = known.get(placeOf(one))
    if (attempt === undefined) return one
    return isWaiting(one) ? underWay(one, attempt) : isAsBefore(one) ? overtaken(one, attempt) : one
  })
}

function placeOf({ site, application }: Pick<ApplicationStatus, 'site' | 'application'>): string {
  return JSON.stringify([site, application])
}

/** What is suspended, blocked, or on a site that does not answer, does not go on either. */
function isWaiting({ code, sync, seenAt }: ApplicationStatus): boolean {
  return code !== undefined && code !== 'suspended' && sync !== 'Unknown' && seenAt === undefined
}

function isAsBefore({ code, sync, seenAt }: ApplicationStatus): boolean {
  return code === undefined && sync === 'Synced' && seenAt === undefined
}

function overtaken(one: ApplicationStatus, { of, begunAtMs }: OpenAttempt): ApplicationStatus {
  const { version = '' } = of ?? {}
  const what = version === '' || version === one.version ? 'a change' : `the rollout of version ${version}`
  return {
    ...one,
    sync: 'OutOfSync',
    reason: `${what} has begun, and this is what was there before`,
    ...sinceOf(begunAtMs),
  }
}

function sinceOf(begunAtMs: number | undefined): Pick<ApplicationStatus, 'since'> {
  return begunAtMs === undefined ? {} : { since: new Date(begunAtMs).toISOString() }
}

function underWay(
  { code: _, until: __, since: ___, windowEnds: ____, ...one }: ApplicationStatus,
  { of, begunAtMs }: OpenAttempt,
): ApplicationStatus {
  const { version = '' } = of ?? {}
  return {
    ...one,
    reason: `${version === '' ? 'a rollout' : `the rollout of version ${version}`} has begun, and runs to its end`,
    ...sinceOf(begunAtMs),
    ...(one.queue === undefined ? {} : { queue: one.queue.map(queued => inQueue(queued, version)) }),
  }
}

function inQueue(queued: QueuedVersion, begun: string): QueuedVersion {
  const { reason: _, ...told } = queued
  if (queued.version === begun) return { ...told, state: 'next' }
  return queued.state === 'next' ? { ...queued, state: 'later' } : queued
}
