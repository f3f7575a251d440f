import type { Change } from '../plan/change.ts'
import { groupInstances } from '../plan/instance.ts'
import type { DesiredState } from '../state/desired.ts'
import { containerHealth, type HealthStatus, type SyncStatus, worstHealth } from '../state/health.ts'
import type { LiveContainer, LiveState } from '../state/live.ts'

/** One application on one site: two axes, and why (G13). */
export type ApplicationStatus = {
  readonly site: string
  readonly application: string
  readonly sync: SyncStatus
  readonly health: HealthStatus
  /** Of the specification or the manifest; else the image's tag (X19). */
  readonly version: string
  /** Running of wanted instances. */
  readonly running: number
  /** Absent while the application is blocked: nobody knows then. */
  readonly wanted?: number
  readonly commit: string
  readonly reason: string
  /** Since when it is held back, in ISO 8601. */
  readonly since?: string
}

export type StatusInput = {
  readonly desired: DesiredState
  readonly sites: readonly LiveState[]
  readonly changes: readonly Change[]
  /** Applications whose image nobody could resolve, with the reason. */
  readonly undecided: ReadonlyMap<string, string>
}

/** What each application of an environment is like, by site and name. */
export function statusOf({ desired, sites, changes, undecided }: StatusInput): readonly ApplicationStatus[] {
  return sites.flatMap(({ site, containers }) => {
    const declared = desired.applications.map(({ name, services, version }) => {
      const live = containers.filter(({ application }) => application === name)
      const wanted = services.flatMap(({ instances }) => instances)
      const change = changes.find(change => change.site === site && change.application === name)
      const unknown = undecided.get(name)
      return {
        site,
        application: name,
        sync:
          unknown !== undefined
            ? ('Unknown' as const)
            : change === undefined
              ? ('Synced' as const)
              : ('OutOfSync' as const),
        health: healthOf(live, wanted.length),
        version: version ?? tagOf(wanted[0]?.containers[0].image.reference ?? ''),
        running: runningOf(live),
        wanted: wanted.length,
        commit: live[0]?.commit ?? '',
        reason: unknown ?? change?.held?.reason ?? change?.reason ?? '',
        ...sinceOf(change),
      }
    })
    const blocked = desired.blocked.map(({ application, problems }) => {
      const live = containers.filter(container => container.application === application)
      return {
        site,
        application,
        sync: 'Unknown' as const,
        health: live.length === 0 ? ('Missing' as const) : worstHealth(live.map(containerHealth)),
        version: live[0]?.version ?? tagOf(live[0]?.image ?? ''),
        running: runningOf(live),
        commit: live[0]?.commit ?? '',
        reason: problems[0].message,
      }
    })
    const known = new Set([...declared, ...blocked].map(({ application }) => application))
    const orphans = [...new Set(containers.map(({ application }) => application))].filter(
      name => !known.has(name),
    )
    const orphaned = orphans.map(application => {
      const live = containers.filter(container => container.application === application)
      const change = changes.find(change => change.site === site && change.application === application)
      return {
        site,
        application,
        sync: 'OutOfSync' as const,
        health: worstHealth(live.map(containerHealth)),
        version: live[0]?.version ?? tagOf(live[0]?.image ?? ''),
        running: runningOf(live),
        wanted: 0,
        commit: live[0]?.commit ?? '',
        reason: change?.held?.reason ?? change?.reason ?? 'no longer in the manifest',
      }
    })
    return [...declared, ...blocked, ...orphaned].sort((a, b) => (a.application < b.application ? -1 : 1))
  })
}

/** The worst of what is there, and of what is not. */
function healthOf(live: readonly LiveContainer[], wanted: number): HealthStatus {
  const parts = live.map(containerHealth)
  return worstHealth(groupInstances(live).length < wanted ? [...parts, 'Missing'] : parts)
}

/** Instances all of whose containers run. */
function runningOf(live: readonly LiveContainer[]): number {
  return groupInstances(live).filter(({ containers }) => containers.every(({ state }) => state === 'running'))
    .length
}

function sinceOf(change: Change | undefined): { readonly since?: string } {
  const sinceMs = change?.held?.sinceMs
  return sinceMs === undefined ? {} : { since: new Date(sinceMs).toISOString() }
}

function tagOf(reference: string): string {
  const last = reference.slice(reference.lastIndexOf('/') + 1)
  const colon = last.indexOf(':')
  return colon < 0 ? '' : last.slice(colon + 1)
}
