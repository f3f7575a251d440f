import type { Rules } from '../../../plan/hold/hold.ts'
import { ingressName } from '../../../state/application/ingress/route.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import type { World } from '../../world.ts'
import type { SiteWorld } from '../site.ts'

/** The conditions of one pass, besides the desired and the live state. */
export type RuleOptions = Pick<Rules, 'onlyRepairs' | 'backingOff' | 'turns' | 'sameVersion'> & {
  /** Whether to try again what is quarantined or barred. */
  readonly retry: boolean
}

/** Returns what the configuration and the journal allow on a site. */
export function rulesOf(
  { world: { config, journal, nowMs }, engine, memory }: SiteWorld,
  environment: string,
  { retry, onlyRepairs, backingOff, turns, sameVersion }: RuleOptions,
): Rules {
  const applied = memory.convergence.applied()
  const { prune, drift } = config
  const quarantined = journal
    .quarantined(environment, engine.site)
    .map(({ site, application, service, release, reason, atMs }) => {
      const key = `${site}/${application}/${service}`
      const isFinal = reason.code === 'not-restored'
      return [
        key,
        { release, reason: `failed before: ${withoutSite(reason.message, site)}`, sinceMs: atMs, isFinal },
      ] as const
    })
  const suspended = journal
    .suspensions(environment, nowMs())
    .map(({ application, reason, atMs }) => [application ?? '*', { reason, sinceMs: atMs }] as const)
  const barred = journal
    .barred(environment, engine.site)
    .map(({ site, application, service, digest, message, atMs }) => {
      const reason = `its deploy failed before: ${withoutSite(message, site)}`
      return [`${site}/${application}/${service}/${digest}`, { reason, sinceMs: atMs }] as const
    })
  return {
    prune,
    drift,
    barred: new Map(retry ? [] : barred),
    quarantined: new Map(retry ? [] : quarantined),
    suspended: new Map(suspended),
    ...(turns === undefined ? {} : { turns }),
    ...(sameVersion === undefined ? {} : { sameVersion }),
    ...(onlyRepairs === undefined ? {} : { onlyRepairs, atVersion: atVersion(journal, environment) }),
    ...(retry || backingOff === undefined ? {} : { backingOff }),
    ...(retry || applied === undefined ? {} : { notConverging: applied }),
  }
}

/** The ingress is made anew for the routes of such a version. */
function atVersion(journal: World['journal'], environment: string): ReadonlySet<string> {
  const held = journal.heldVersions(environment).map(({ application }) => application)
  return new Set(held.length === 0 ? [] : [...held, ingressName])
}
