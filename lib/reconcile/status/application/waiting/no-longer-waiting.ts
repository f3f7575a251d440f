import type { ApplicationStatus } from '../application-status.ts'

/** Returns an application without what it waits for: something has begun that goes on by itself. */
export function noLongerWaiting({
  code: _,
  until: __,
  next: ______,
  since: ___,
  windowEnds: ____,
  approval: _____,
  leftOver: _______,
  ...one
}: ApplicationStatus): Omit<
  ApplicationStatus,
  'code' | 'until' | 'next' | 'since' | 'windowEnds' | 'approval' | 'leftOver'
> {
  return one
}
