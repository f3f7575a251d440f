import type { ApplicationStatus } from './application/application-status.ts'
import type { LastState } from './last-state.ts'

/**
 * Returns the last known state of a site once a running pass has seen it: it is no longer said not to answer, and what is
 * known of its applications is what was there before, until that pass has ended (G13). Pure.
 */
export function onceReached({ unreachable: _, ...state }: LastState, site: string): LastState {
  return {
    ...state,
    errors: state.isSeen ? state.errors : state.errors.filter(({ resource }) => resource !== site),
    applications: state.applications.map(answering),
  }
}

function answering(one: ApplicationStatus): ApplicationStatus {
  if (one.seenAt === undefined) return one
  const { seenAt: _, since: __, ...before } = one
  return {
    ...before,
    reason: 'the site answers again; the version and the health shown are from before that',
  }
}
