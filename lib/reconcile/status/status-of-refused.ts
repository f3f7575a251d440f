import type { Failure } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { ApplicationStatus } from './application/application-status.ts'

/**
 * Returns the status of each application on a site that is not looked after, because its engine is that of another
 * site. What was seen there before says nothing: it is told of the other site.
 */
export function statusOfRefused(
  site: string,
  { applications, blocked }: DesiredState,
  { code, message: reason }: Failure,
): readonly ApplicationStatus[] {
  const names = [...applications.map(({ name }) => name), ...blocked.map(({ application }) => application)]
  return names.sort().map(application => ({
    ...{ site, application, sync: 'Unknown', health: 'Unknown', version: '', running: 0, commit: '' },
    ...{ reason, code },
  }))
}
