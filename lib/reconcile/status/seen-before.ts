import type { Application } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { isOfOperator } from '../../state/application/ingress/external.ts'
import { versionOf } from '../../state/application/version-of.ts'
import { isoText } from '../../text/time.ts'
import type { ApplicationStatus } from './application/application-status.ts'

/** Why nothing more is known of what is on a site. */
export const silentReason = 'the site does not answer'

/**
 * Returns the applications of a site that does not answer, each with the time at which it was last seen. Whatever it was
 * waiting for then, it waits for its site now. Which version is wanted is told as it is now (G13). Pure.
 * @param desired what is wanted on that site; absent: that is not known
 * @param seenMs when they were last seen, in ms since 1970
 */
export function asSeenBefore(
  before: readonly ApplicationStatus[],
  desired: Pick<DesiredState, 'applications'> | undefined,
  { seenMs, atMs }: { readonly seenMs: number; readonly atMs: number },
): readonly ApplicationStatus[] {
  const wanted = new Map(desired?.applications.map(one => [one.name, one]))
  const silent = { reason: silentReason, seenAt: isoText(seenMs), since: isoText(atMs) }
  return before.map(one => {
    const told = comparedWith(one, wanted.get(one.application))
    if (told.seenAt !== undefined) return told
    const { code: _, until: __, approval: ___, ...seen } = told
    return { ...seen, ...silent }
  })
}

/** Nobody can tell whether anything else differs of a version that is wanted again. What waits there was for another one. */
function comparedWith(one: ApplicationStatus, declared: Application | undefined): ApplicationStatus {
  if (declared === undefined || declared.services.some(isOfOperator)) return one
  const version = versionOf(declared)
  if ((one.wantedVersion ?? one.version) === version) return one
  const { wantedVersion: _, otherContent: __, leftOver: ___, queue: ____, ...seen } = one
  if (one.version === version) return { ...seen, sync: 'Unknown' }
  return { ...seen, sync: 'OutOfSync', wantedVersion: version }
}
