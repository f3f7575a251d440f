import { type Change, isLeftOver, type ServicePlace } from '../../../plan/change/change.ts'
import { serviceKey } from '../../../plan/compare/diff.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { LiveState } from '../../../state/running/live.ts'

/** Returns what applications that are wanted no longer have, and what stays of it because the operator says so (D3). */
export function leftOversIn(
  changes: readonly Change[],
  { applications }: Pick<DesiredState, 'applications'>,
): readonly Change[] {
  const wanted = new Set(applications.map(({ name }) => name))
  return changes.filter(change => isLeftOver(change) && wanted.has(change.application))
}

/** Returns what a site runs without these services: what becomes of them says nothing of the versions that are there. */
export function withoutServices(live: LiveState, services: readonly ServicePlace[]): LiveState {
  if (services.length === 0) return live
  const left = new Set(services.map(one => serviceKey(one.application, one.service)))
  return {
    ...live,
    containers: live.containers.filter(one => !left.has(serviceKey(one.application, one.service))),
  }
}
