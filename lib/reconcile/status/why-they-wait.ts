import type { ErrorCode } from '../../errors/catalogue.ts'
import { awaitedTurn } from '../fleet/turns.ts'
import { type RunSource, runNow } from './run-now.ts'
import type { ApplicationStatus } from './status.ts'

/** Why a version has not come to a site whose turn has not come. */
const ofDeployment: readonly (ErrorCode | undefined)[] = ['not-its-turn', 'deployment-stopped']

/**
 * Returns what was seen of applications, and why those wait now whose turn has not come. No pass is made over a thousand
 * sites to say of each that their deployment was stopped, so the last pass may know another reason.
 */
export function asTheyWait(
  source: RunSource,
  applications: readonly ApplicationStatus[],
): readonly ApplicationStatus[] {
  const waiting = new Set(
    applications.flatMap(({ application, code }) => (ofDeployment.includes(code) ? [application] : [])),
  )
  if (waiting.size === 0) return applications
  const held = new Set(source.journal.heldVersions(source.environment).map(({ application }) => application))
  const placed = [...source.journal.placements(source.environment).values()]
  const runs = new Map(
    placed.flatMap(one => {
      const { application } = one.deployment
      const run = waiting.has(application) && !held.has(application) ? runNow(source, one) : undefined
      if (run === undefined) return []
      const { code, reason, sinceMs = run.of.atMs } = awaitedTurn(one.deployment, run).held
      const since = new Date(sinceMs).toISOString()
      return [[application, { open: run.stand.open, now: { code, reason, since } }] as const]
    }),
  )
  return applications.map(one => {
    const run = ofDeployment.includes(one.code) ? runs.get(one.application) : undefined
    return run === undefined || run.open.has(one.site) ? one : { ...one, ...run.now }
  })
}
