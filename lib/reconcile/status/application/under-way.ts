import type { OpenAttempt } from '../../../journal/services/attempts.ts'
import type { ApplicationStatus } from './application-status.ts'
import type { QueuedVersion } from './queue-view.ts'

/**
 * Says of applications that the last pass found waiting, and of which something has begun since, that it runs to its
 * end: no window and no turn keeps it from that (A62). It may have been begun by an earlier process.
 */
export function withUnderWay(
  all: readonly ApplicationStatus[],
  begun: readonly OpenAttempt[],
): readonly ApplicationStatus[] {
  if (begun.length === 0) return all
  const known = new Map(begun.toReversed().map(one => [placeOf(one), one]))
  return all.map(one => {
    const attempt = known.get(placeOf(one))
    return attempt === undefined || !isWaiting(one) ? one : underWay(one, attempt)
  })
}

function placeOf({ site, application }: Pick<ApplicationStatus, 'site' | 'application'>): string {
  return JSON.stringify([site, application])
}

/** What is suspended, blocked, or on a site that does not answer, does not go on either. */
function isWaiting({ code, sync, seenAt }: ApplicationStatus): boolean {
  return code !== undefined && code !== 'suspended' && sync !== 'Unknown' && seenAt === undefined
}

function underWay(
  { code: _, until: __, since: ___, windowEnds: ____, ...one }: ApplicationStatus,
  { of, begunAtMs }: OpenAttempt,
): ApplicationStatus {
  const { version = '' } = of ?? {}
  return {
    ...one,
    reason: `${version === '' ? 'a rollout' : `the rollout of version ${version}`} has begun, and runs to its end`,
    ...(begunAtMs === undefined ? {} : { since: new Date(begunAtMs).toISOString() }),
    ...(one.queue === undefined ? {} : { queue: one.queue.map(queued => inQueue(queued, version)) }),
  }
}

function inQueue(queued: QueuedVersion, begun: string): QueuedVersion {
  const { reason: _, ...told } = queued
  if (queued.version === begun) return { ...told, state: 'next' }
  return queued.state === 'next' ? { ...queued, state: 'later' } : queued
}
