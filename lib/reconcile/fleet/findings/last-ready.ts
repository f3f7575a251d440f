import type { ApplicationStatus } from '../../status/application/application-status.ts'
import { applicationKey } from '../../status/application/under-way.ts'
import { type LastState, unreachedIn } from '../../status/last-state.ts'
import { codeMeaning } from './hold-meaning.ts'

/** Returns whether an application could go on with its deployment on a site when that was last seen, by the last state. */
export function wasReady(state: LastState | undefined): (application: string, site: string) => boolean {
  const away = unreachedIn(state)
  const held = new Set(state?.applications.filter(isHeldUp).map(applicationKey))
  return (application, site) => !away.has(site) && !held.has(applicationKey({ site, application }))
}

/**
 * Whether an application could not go on with its deployment when it was last seen: its site did not answer, something
 * kept it as it was, or it was blocked there, so that nobody knew what it was to have.
 */
export function isHeldUp({
  code,
  seenAt,
  sync,
}: Pick<ApplicationStatus, 'code' | 'seenAt' | 'sync'>): boolean {
  const isBlocked = code !== undefined && sync === 'Unknown'
  return seenAt !== undefined || isBlocked || codeMeaning(code) === 'not-ready'
}
