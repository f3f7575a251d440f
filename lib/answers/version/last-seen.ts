import type { Journal } from '../../journal/journal.ts'
import type { ApplicationStatus } from '../../reconcile/status/application/application-status.ts'
import { asLastState } from '../../reconcile/status/last-state.ts'

/** Returns what the last pass over each site of an environment found of its applications. */
export function lastSeen(
  journal: Pick<Journal, 'keptStates'>,
  environment: string,
): readonly ApplicationStatus[] {
  return journal.keptStates(environment).flatMap(({ state }) => asLastState(state)?.applications ?? [])
}
