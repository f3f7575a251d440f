import type { Trouble } from '../../../../journal/services/troubles.ts'
import { optional } from '../../../../object.ts'
import type { Change } from '../../../../plan/change/change.ts'
import { walkText } from '../../../../plan/change/walk.ts'
import type { Application, Service } from '../../../../state/application/application.ts'
import { isOfOperator } from '../../../../state/application/ingress/external.ts'
import type { IsolatorOutcome } from '../../../../state/application/pod/pod.ts'
import { versionOf } from '../../../../state/application/version-of.ts'
import type { LiveContainer } from '../../../../state/running/live.ts'
import { atSites } from '../../../../text/sites/at-sites.ts'
import { optionalTime } from '../../../../text/time.ts'
import type { ApplicationStatus } from '../application-status.ts'
import type { QueuedVersion } from '../waiting/queue-view.ts'
import { conditionOf, restartsOf } from './condition-text.ts'
import { ifAny } from './if-any.ts'
import { instancesWanted, servicesHealth } from './instances.ts'
import { observed } from './observed.ts'
import { type Front, routeStatuses } from './route-status.ts'

/** What is known of one application on one site besides its containers. */
type Known = {
  readonly change: Change | undefined
  /** What it no longer has, and what stays of that because the operator says so (D3). */
  readonly leftOver: Change | undefined
  /** Whether any change of it is no repair. */
  readonly isOther: boolean
  /** Why an image of it could not be resolved. */
  readonly unknown: string | undefined
  readonly trouble: Trouble | undefined
  readonly queue: readonly QueuedVersion[] | undefined
  /** What a service of it was last brought to. */
  readonly targetOf: (service: string) => string | undefined
  /** The ingress of the site, without which no instance gets a request. */
  readonly front: Front
}

/** Returns the status of an application that is wanted on a site. */
export function declaredStatus(
  { site, environment }: { readonly site: string; readonly environment: string },
  declared: Application,
  live: readonly LiveContainer[],
  { change, leftOver, isOther, unknown, trouble, queue, targetOf, front }: Known,
): ApplicationStatus {
  const { name, services } = declared
  const found = observed(site, name, live, services[0])
  // The version of the operator's own ingress is unknown.
  const wantedVersion = services.some(isOfOperator) ? found.version : versionOf(declared)
  // While an image is unknown, nobody can say that the wanted version is here.
  const settled = (change === undefined && unknown === undefined) || live.length === 0
  const own = unknown ?? change?.held?.reason ?? whyOf(change) ?? trouble?.message ?? conditionOf(live)
  const isOnlyLeft = leftOver !== undefined && change === undefined && unknown === undefined
  return {
    ...found,
    sync: unknown !== undefined ? 'Unknown' : (change ?? leftOver) ? 'OutOfSync' : 'Synced',
    ...(isOnlyLeft ? { leftOver: true } : {}),
    health: servicesHealth(environment, declared, live, service => (isOther ? targetOf(service) : undefined)),
    version: settled ? wantedVersion : found.version,
    ...(settled || wantedVersion === found.version ? {} : { wantedVersion }),
    ...(!settled && isOther && wantedVersion === found.version ? { otherContent: true } : {}),
    ...optional('wanted', instancesWanted(services, live)),
    reason: atSites(own ?? leftOver?.held?.reason ?? '', [site]),
    ...optional('code', change?.held?.code ?? (own === undefined ? leftOver?.held?.code : undefined)),
    ...optionalTime('since', change?.held?.sinceMs ?? (change === undefined ? trouble?.atMs : undefined)),
    ...optionalTime('until', change?.held?.untilMs),
    ...optionalTime('next', change?.held?.againMs),
    ...optional('queue', change === undefined ? undefined : queue),
    ...optional('restarts', restartsOf(live)),
    ...ifAny('routes', routeStatuses(services, live, front)),
    ...ifAny('isolators', isolatorsIn(services)),
  }
}

/** Instances of one pod manifest have the same isolators. */
function isolatorsIn(services: readonly Service[]): readonly IsolatorOutcome[] {
  return services.flatMap(({ instances }) => instances[0]?.pod?.isolators ?? [])
}

function whyOf(change: Change | undefined): string | undefined {
  return change?.walk === undefined ? change?.reason : walkText({ ...change, walk: change.walk })
}
