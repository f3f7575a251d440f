import { optional } from '../../../object.ts'
import type { ApplicationStatus } from './application-status.ts'
import { applicationKey } from './under-way.ts'
import { noLongerWaiting } from './waiting/no-longer-waiting.ts'

/**
 * Returns the status of applications with what passes that still run have found on their sites: what is blocked or held
 * there is so from the beginning of a rollout of others, and not from its end (G13). What has begun itself stays as it was
 * seen before that, in the version that the pass found. Since when something is held is known of before. Pure.
 */
export function withFound(
  before: readonly ApplicationStatus[],
  found: readonly ApplicationStatus[],
  begun: readonly Pick<ApplicationStatus, 'site' | 'application'>[],
): readonly ApplicationStatus[] {
  if (found.length === 0) return before
  const sites = new Set(found.map(({ site }) => site))
  const open = new Set(begun.map(applicationKey))
  const now = new Map(found.map(one => [applicationKey(one), one]))
  const known = before.flatMap(one => {
    const seen = now.get(applicationKey(one))
    now.delete(applicationKey(one))
    if (open.has(applicationKey(one))) return [seen === undefined ? one : asFound(one, seen)]
    if (seen === undefined) return sites.has(one.site) ? [] : [one]
    const isSame = seen.code !== undefined && seen.code === one.code
    return [{ ...optional('since', isSame ? one.since : undefined), ...seen }]
  })
  return [...known, ...now.values()]
}

/**
 * Returns what was seen of an application that goes from version to version, with the one in which the pass found it that
 * has begun the next one since.
 */
function asFound(one: ApplicationStatus, { version, commit, queue }: ApplicationStatus): ApplicationStatus {
  return one.queue === undefined || queue === undefined ? one : { ...one, version, commit, queue }
}

/** An application that a pass which still runs has brought to what is wanted. */
export type AppliedNow = Pick<ApplicationStatus, 'site' | 'application' | 'commit'> & {
  readonly version?: string
}

/** Says of applications that a pass which still runs has brought to their version that they have it (G13). Pure. */
export function withApplied(
  all: readonly ApplicationStatus[],
  applied: readonly AppliedNow[],
): readonly ApplicationStatus[] {
  if (applied.length === 0) return all
  const done = new Map(applied.map(one => [applicationKey(one), one]))
  return all.map(one => {
    const now = done.get(applicationKey(one))
    // Of several versions in a queue, others come after this one.
    const isLast = one.queue === undefined || one.queue.at(-1)?.version === now?.version
    if (now === undefined || one.code !== undefined || !isLast) return one
    const { wantedVersion: _, otherContent: __, queue: ___, restarts: ____, ...told } = noLongerWaiting(one)
    const { version = one.version, commit } = now
    // What it changes of them has passed its gate, and the next look counts them.
    const running = told.wanted ?? told.running
    return { ...told, version, commit, running, sync: 'Synced', health: 'Healthy', reason: '' }
  })
}
