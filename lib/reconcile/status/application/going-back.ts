import { optional } from '../../../object.ts'
import type { TasksOfService } from '../../../state/pass/tasks-now.ts'
import type { ApplicationStatus } from './application-status.ts'
import { tasksText, tasksUnderWay } from './tasks-under-way.ts'
import { noLongerWaiting } from './waiting/no-longer-waiting.ts'

/** An application that goes back to what a site had before, and its version then, if that is known. */
export type ApplicationGoingBack = Pick<ApplicationStatus, 'site' | 'application'> & { readonly to?: string }

/** Returns an application that goes back to what it had before, whatever was wanted when it was seen (G13, D18). Pure. */
export function goingBack(
  application: ApplicationStatus,
  { to }: ApplicationGoingBack,
  seen: readonly TasksOfService[],
): ApplicationStatus {
  const { wantedVersion: _, otherContent: __, ...one } = noLongerWaiting(application)
  const tasks = tasksText(tasksUnderWay(one, seen), 'of what is taken back')
  const where = to === undefined || to === '' ? 'what was there before' : `version ${to}`
  return {
    ...one,
    ...optional('wantedVersion', to === one.version ? undefined : to),
    sync: 'OutOfSync',
    reason: `goes back to ${where}${tasks === '' ? '' : `: ${tasks}`}`,
  }
}
