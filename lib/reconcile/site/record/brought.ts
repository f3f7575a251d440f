import type { Journal } from '../../../journal/journal.ts'
import type { Change } from '../../../plan/change/change.ts'
import { type DesiredState, wantedFrom } from '../../../state/application/desired.ts'
import { ingressName, type Route } from '../../../state/application/ingress/route.ts'
import { routingOf } from '../../../state/application/ingress/traffic.ts'
import { versionOf } from '../../../state/application/version-of.ts'

/** Returns the version that a change brings, and the commit that has it; undefined: its application is not wanted. */
export function versionBrought(
  compared: DesiredState,
  change: Pick<Change, 'application'>,
): { readonly version: string; readonly commit: string } | undefined {
  const wanted = compared.applications.find(({ name }) => name === change.application)
  return wanted && { version: versionOf(wanted), commit: wantedFrom(compared, change) }
}

/** Returns the marks under which the versions are kept now that changes bring, by application. */
export function marksBrought(
  journal: Pick<Journal, 'versionEntries'>,
  compared: DesiredState,
  changes: ReadonlySet<Change>,
): ReadonlyMap<string, string> {
  const names = new Set([...changes].map(({ application }) => application))
  return new Map(
    [...names].flatMap(application => {
      const version = versionBrought(compared, { application })?.version
      const entries = version === undefined ? [] : journal.versionEntries(compared.environment, application)
      const mark = entries.findLast(entry => entry.version === version)?.kept?.mark
      return mark === undefined ? [] : [[application, mark] as const]
    }),
  )
}

/**
 * Returns what the ingress has loaded once this change is applied, now or before it was interrupted; nothing if the
 * ingress is removed.
 */
export function routesBrought(
  { applications }: DesiredState,
  { application, service, target }: Change,
): readonly Route[] | undefined {
  if (target === 'absent') return application === ingressName && service === ingressName ? [] : undefined
  const own = applications.find(({ name }) => name === application)
  const found = own?.services.find(({ name }) => name === service)
  return found && routingOf(found)?.routes
}
