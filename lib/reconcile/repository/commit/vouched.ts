import type { Signer } from '../../../state/repository/revision.ts'
import type { World } from '../../world.ts'
import { environmentName } from '../identity/environment-name.ts'

/** A commit that may be used, and its signer if signatures are required. */
export type Vouched = { readonly commit: string; readonly signedBy?: Signer }

/** Returns the commit with its signer. If signatures are required, fails as `Source.verify` does. */
export async function vouched(world: World, commit: string, signal: AbortSignal): Promise<Vouched> {
  const signedBy = await world.source.verify?.(commit, signal)
  return { commit, ...(signedBy === undefined ? {} : { signedBy }) }
}

/**
 * Returns the last commit that was used and understood. If signatures are required, it counts only if it was signed at
 * that time. If the key has expired or was revoked since then, what serves is still looked after.
 */
export function lastGood(world: World): Vouched | undefined {
  const { memory, journal, source } = world
  const inForce = memory.commits.inForce()
  const { commit, revision } =
    inForce === undefined
      ? (journal.lastGood(environmentName(world)) ?? {})
      : { commit: inForce.commit, revision: inForce.resolved.revision }
  if (commit === undefined) return undefined
  const signedBy = revision?.signedBy
  if (source.verify === undefined) return { commit }
  return signedBy === undefined ? undefined : { commit, signedBy }
}

/**
 * Whether to continue with the last good commit when the newest one failed, before or after its signature was verified:
 * unless it is the same one.
 */
export function isKept(newest: Vouched | undefined, commit: string, good: Vouched): boolean {
  return newest === undefined || good.commit !== commit
}
