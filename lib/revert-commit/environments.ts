import { Failure } from '../errors.ts'
import { findEnvironments } from '../manifest/environments.ts'
import { type ResolveContext, readersOf, resolveWhole } from '../resolve.ts'
import type { DesiredState } from '../state/application/desired.ts'
import type { EnvironmentPlace } from '../state/identity.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'

/** An environment of a commit: what it wants, or why that cannot be read as a whole. */
export type EnvironmentThen = { readonly place: EnvironmentPlace } & (
  | { readonly state: DesiredState }
  | { readonly unreadable: string }
)

/**
 * Returns all environments of a commit, or only that of a directory. Secrets count as there, and by their names alone: a
 * commit does not know their values. Fails as reading the snapshot does.
 */
export async function environmentsAt(
  snapshot: Snapshot,
  context: ResolveContext,
  directory?: string,
): Promise<readonly EnvironmentThen[]> {
  const readers = readersOf(snapshot)
  const places = await findEnvironments(snapshot)
  const environments: EnvironmentThen[] = []
  for (const place of places) {
    if (directory !== undefined && place.directory !== directory) continue
    try {
      const { desired } = await resolveWhole(snapshot, place, context, readers)
      environments.push({ place, state: desired })
    } catch (error) {
      if (!(error instanceof Failure) || error.retry === 'backoff') throw error
      environments.push({ place, unreadable: error.message })
    }
  }
  return environments
}
