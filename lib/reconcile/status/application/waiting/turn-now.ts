import type { ErrorCode } from '../../../../errors/catalogue.ts'
import { optional } from '../../../../object.ts'
import type { AwaitedTurn } from '../../../../plan/hold/hold.ts'
import { isoText } from '../../../../text/time.ts'
import { awaitedTurn } from '../../../fleet/awaited-turn.ts'
import { type RunSource, runNow } from '../../deployment/run-now.ts'
import type { ApplicationStatus } from '../application-status.ts'
import type { QueuedVersion } from './queue-view.ts'

/** Why a version has not come to a site whose turn has not come. */
const ofDeployment: readonly (ErrorCode | undefined)[] = ['not-its-turn', 'deployment-stopped']

/** Whether what was seen says less than the deployment does: if that has ended, no window brings the version. */
function isOverruled({ code }: ApplicationStatus, { isOver }: Pick<AwaitedTurn, 'isOver'>): boolean {
  return ofDeployment.includes(code) || (isOver === true && code === 'window-closed')
}

/**
 * Returns what was seen of applications, and why those wait now whose turn has not come. No pass is made over a thousand
 * sites to say of each that their deployment was stopped, so the last pass may know another reason.
 */
export function asTheyWait(
  source: RunSource,
  applications: readonly ApplicationStatus[],
): readonly ApplicationStatus[] {
  const mayWait = (one: ApplicationStatus) => one.queue !== undefined || isOverruled(one, { isOver: true })
  const waiting = new Set(applications.flatMap(one => (mayWait(one) ? [one.application] : [])))
  if (waiting.size === 0) return applications
  const held = new Set(source.journal.heldVersions(source.environment).map(({ application }) => application))
  const placed = [...source.journal.placements(source.environment).values()]
  const runs = new Map(
    placed.flatMap(one => {
      const { application } = one.deployment
      const run = waiting.has(application) && !held.has(application) ? runNow(source, one) : undefined
      if (run === undefined) return []
      return [[application, { ...run, deployment: one.deployment }] as const]
    }),
  )
  return applications.map(one => {
    const run = runs.get(one.application)
    if (run === undefined || run.stand.open.has(one.site)) return one
    const turn = awaitedTurn(run.deployment, run, one.site)
    const told = queuedNow(one, turn)
    if (!isOverruled(one, turn)) return told
    const { code, reason, sinceMs = run.of.atMs } = turn.held
    const { until: _, ...seen } = told
    return { ...seen, code, reason, since: isoText(sinceMs) }
  })
}

/** Where the deployment has ended, nothing waits for its version, whatever else was seen there: not where it failed, either. */
function queuedNow(one: ApplicationStatus, { version, isOver, held }: AwaitedTurn): ApplicationStatus {
  const isOfTurn = one.queue?.at(-1)?.version === version
  if (isOver !== true || !isOfTurn) return one
  return { ...one, ...optional('queue', one.queue?.map(outBy(held.reason))) }
}

/** What waited on its way to a version that nobody gets any more does not wait for it. What a person forces goes on. */
function outBy(reason: string): (queued: QueuedVersion) => QueuedVersion {
  return queued => {
    const isWaiting = queued.forced !== true && (queued.state === 'next' || queued.state === 'later')
    return isWaiting ? { ...queued, state: 'out', reason } : queued
  }
}
