import type { ApplicationStatus } from '../../status/application/application-status.ts'
import type { Timed } from './timed.ts'

/** What is known of the applications on a site, and in which contents they were last in place there. */
export type SeenOnSite = {
  readonly applications: readonly ApplicationStatus[]
  readonly contents?: Readonly<Record<string, string>>
  /** The applications that were changed since they were seen, or are being changed; absent: none. */
  readonly changed?: readonly string[]
}

/**
 * What this process has seen on sites, and what it has been changing there since. Invariants:
 *
 * - What was seen of an application says nothing any more once a change of it is about to begin, until it is seen again.
 * - A change beside a pass outlasts what that pass had seen before.
 */
export type SeenSites = {
  /** Returns what was last seen on a site; undefined: only the journal knows. */
  on(site: string): SeenOnSite | undefined
  /** Notes what a pass found that saw a site then, in ms since 1970. */
  set(site: string, seen: SeenOnSite, atMs: number): void
  /** Whether an application was changed on a site since it was seen there, or is being changed. */
  isChanged(site: string, application: string): boolean
  /**
   * Notes that applications are about to be changed on a site, also on one that was not seen yet.
   * @param besideMs since when, in ms since 1970, if that is beside a pass
   */
  setChanging(site: string, applications: readonly string[], besideMs?: number): void
  /** Forgets a site, which is gone or has another engine now. */
  forget(site: string): void
}

/** Creates the memory of a process that has seen no site. */
export function createSeenSites(): SeenSites & Timed {
  const seen = new Map<string, SeenOnSite>()
  /** By site and application: since when it has been changed, if that is beside a pass, or `untilSeen`. */
  const changed = new Map<string, ReadonlyMap<string, number>>()
  return {
    on: site => seen.get(site),
    set(site, found, atMs) {
      seen.set(site, found)
      const since = [...(changed.get(site) ?? [])].filter(([, changedMs]) => changedMs > atMs)
      const all = [...since, ...(found.changed ?? []).map(name => [name, untilSeen] as const)]
      if (all.length === 0) changed.delete(site)
      else changed.set(site, new Map(all))
    },
    isChanged: (site, application) => changed.get(site)?.has(application) === true,
    setChanging(site, applications, besideMs = untilSeen) {
      if (applications.length === 0) return
      const more = applications.map(name => [name, besideMs] as const)
      changed.set(site, new Map([...(changed.get(site) ?? []), ...more]))
    },
    forget(site) {
      seen.delete(site)
      changed.delete(site)
    },
    putForward(byMs) {
      const moved = (ms: number) => (ms === untilSeen ? ms : ms + byMs)
      for (const [site, since] of changed)
        changed.set(site, new Map([...since].map(([name, ms]) => [name, moved(ms)])))
    },
  }
}

/** A change that the next look ends, whenever that was: the time of none lies before it. */
const untilSeen = 0
