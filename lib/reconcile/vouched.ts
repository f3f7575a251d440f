import type { Failure } from '../errors.ts'
import type { Signer } from '../state/revision.ts'
import { environmentName } from './environment-name.ts'
import type { World } from './world.ts'

/** A commit that may be taken; where commits have to be signed, with who signed it. */
export type Vouched = { readonly commit: string; readonly signedBy?: Signer }

/** The commit with who signed it; fails as `Source.verify` does, where somebody has to and nobody trusted did. */
export async function vouched(world: World, commit: string, signal: AbortSignal): Promise<Vouched> {
  const signedBy = await world.source.verify?.(commit, signal)
  return { commit, ...(signedBy === undefined ? {} : { signedBy }) }
}

/**
 * The commit that was taken last and understood. Where commits have to be signed it counts only if it was when it was
 * taken; a key that expired or was withdrawn since then does not end the care for what serves.
 */
export function lastGood(world: World): Vouched | undefined {
  const { memory, journal, source } = world
  const { commit, revision } =
    memory.desired === undefined
      ? (journal.lastGood(environmentName(world)) ?? {})
      : { commit: memory.desired.commit, revision: memory.desired.resolved.revision }
  if (commit === undefined) return undefined
  const signedBy = revision?.signedBy
  if (source.verify === undefined) return { commit }
  return signedBy === undefined ? undefined : { commit, signedBy }
}

/** Whether to go on with the last good commit when the newest one failed: before anybody vouched for it, or after. */
export function isKept(
  failure: Failure,
  newest: Vouched | undefined,
  commit: string,
  good: Vouched,
): boolean {
  return newest === undefined || (failure.retry === 'never' && good.commit !== commit)
}
