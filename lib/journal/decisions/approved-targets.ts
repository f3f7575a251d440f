import type { Action } from '../../plan/change/change.ts'
import { byText } from '../../text/order.ts'

/** One change that somebody approves: a release of a service, or its removal, and nothing else (D4, D18). */
export type ApprovedItem = {
  /** `application/service` */
  readonly resource: string
  readonly action: Action
  readonly release: string
}

/** The plan of one site, as it was shown, and what of it is approved. */
export type ApprovedPart = {
  readonly site: string
  readonly planId: string
  readonly commit: string
  readonly items: readonly ApprovedItem[]
  /** When it ends on this site; absent: when the approval does. */
  readonly expiresAtMs?: number
}

/** A change to a service of a target. */
export type TargetItem = Omit<ApprovedItem, 'resource'> & { readonly service: string }

/** What an application is brought to, and the sites on which that is approved. */
export type ApprovedTarget = {
  readonly application: string
  readonly items: readonly TargetItem[]
  readonly sites: readonly string[]
}

/** Returns what is approved as a set of application targets, each once, with all sites that it is for. */
export function targetsOf(parts: readonly ApprovedPart[]): readonly ApprovedTarget[] {
  const targets = new Map<string, ApprovedTarget & { readonly sites: string[] }>()
  for (const { site, items } of parts)
    for (const [application, changes] of byApplication(items)) {
      const key = JSON.stringify([
        application,
        ...changes.map(({ service, action, release }) => [service, action, release]),
      ])
      const target = targets.get(key) ?? { application, items: changes, sites: [] }
      target.sites.push(site)
      targets.set(key, target)
    }
  return [...targets.values()]
}

function byApplication(items: readonly ApprovedItem[]): ReadonlyMap<string, readonly TargetItem[]> {
  const grouped = new Map<string, TargetItem[]>()
  for (const { resource, action, release } of items) {
    const { application, service } = splitResource(resource)
    const own = grouped.get(application) ?? []
    own.push({ service, action, release })
    grouped.set(application, own)
  }
  for (const own of grouped.values()) own.sort(byText(({ service }) => service))
  return grouped
}

function splitResource(resource: string): { readonly application: string; readonly service: string } {
  const slash = resource.indexOf('/')
  return { application: resource.slice(0, slash), service: resource.slice(slash + 1) }
}
