import type { ApplicationStatus } from './application-status.ts'

/** Returns an application without what it waits for: something has begun that goes on by itself. */
export function noLongerWaiting({
  code: _,
  until: __,
  since: ___,
  windowEnds: ____,
  approval: _____,
  ...one
}: ApplicationStatus): Omit<ApplicationStatus, 'code' | 'until' | 'since' | 'windowEnds' | 'approval'> {
  return one
}
