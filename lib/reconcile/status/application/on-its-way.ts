import { optional } from '../../../object.ts'
import type { ApplicationStatus } from './application-status.ts'
import { noLongerWaiting } from './waiting/no-longer-waiting.ts'

/**
 * Returns how applications are while some of them are being changed: what those come to is told as before, because the look
 * came in the middle of it, and what runs of them is told as it was seen (G13). One that is no longer suspended goes on.
 * Pure.
 */
export function withOnTheirWay(
  before: readonly ApplicationStatus[],
  now: readonly ApplicationStatus[],
  wasOnItsWay: (application: string) => boolean,
): readonly ApplicationStatus[] {
  const seen = new Map(now.map(one => [one.application, one]))
  const known = before.filter(({ application }) => wasOnItsWay(application))
  const names = new Set(known.map(({ application }) => application))
  return [
    ...known.map(one => seenOnItsWay(one, seen.get(one.application))),
    ...now.filter(({ application }) => !names.has(application)),
  ]
}

function seenOnItsWay(before: ApplicationStatus, now: ApplicationStatus | undefined): ApplicationStatus {
  if (now === undefined) return before
  const { health, running, tasks } = now
  const goesOn = before.code === 'suspended' && now.code !== 'suspended'
  const { tasks: _, ...told } = goesOn ? { ...noLongerWaiting(before), reason: '' } : before
  return { ...told, health, running, ...optional('tasks', tasks) }
}
