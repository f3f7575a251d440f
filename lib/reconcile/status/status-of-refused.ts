import type { Failure } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { ApplicationStatus } from './application/application-status.ts'

/** Whether a site is not looked after for this: its engine is that of another site, or it is of another kind than before. */
export function isRefusal(code: string): boolean {
  return code === 'same-engine' || code === 'site-kind-changed'
}

/**
 * Returns the status of each application on a site that is not looked after. What was seen there before says nothing: it
 * is told of the other site, or runs as what is not looked at.
 */
export function statusOfRefused(
  site: string,
  { applications, blocked, joined }: DesiredState,
  { code, message: reason }: Failure,
): readonly ApplicationStatus[] {
  const names = [
    ...applications.map(({ name }) => name),
    ...blocked.map(({ application }) => application),
    // A redeploy would not bring these either.
    ...(joined?.keys() ?? []),
  ]
  return [...new Set(names)].sort().map(application => ({
    ...{ site, application, sync: 'Unknown', health: 'Unknown', version: '', running: 0, commit: '' },
    ...{ reason, code },
  }))
}
