import type { Change } from '../../../plan/change/change.ts'
import { type DesiredState, wantedFrom } from '../../../state/application/desired.ts'
import { ingressName, type Route } from '../../../state/application/ingress/route.ts'
import { routingOf } from '../../../state/application/ingress/traffic.ts'
import { versionOf } from '../../../state/application/version-of.ts'

/** Returns the version that a change brings, and the commit that has it; undefined: its application is not wanted. */
export function versionBrought(
  compared: DesiredState,
  change: Change,
): { readonly version: string; readonly commit: string } | undefined {
  const wanted = compared.applications.find(({ name }) => name === change.application)
  return wanted && { version: versionOf(wanted), commit: wantedFrom(compared, change) }
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
