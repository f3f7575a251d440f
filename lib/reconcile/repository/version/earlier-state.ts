import { Failure, toFailure } from '../../../errors.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { World } from '../../world.ts'
import { stateAt } from '../commit/state-at.ts'

/** What a commit wanted, or why that cannot be read. */
export type EarlierState = { readonly state: DesiredState } | { readonly reason: string }

/**
 * Returns what an earlier commit wanted, as its images were pinned then, or why it cannot be read any more. It is read
 * once for all that ask, and not asked for again within seconds of a failure, unless a person asks. Fails only if the
 * signal aborts.
 */
export async function earlierState(
  world: World,
  commit: string,
  signal: AbortSignal,
  isPersonAsking = false,
): Promise<EarlierState> {
  const { log, steadyMs } = world
  const { commits } = world.memory
  const known = commits.earlier(commit, steadyMs())
  if (known !== undefined) return { state: known }
  const alone = commits.leftAlone(commit, steadyMs())
  if (alone !== undefined && !isPersonAsking) return { reason: alone }
  try {
    const state = await commits.readOnce(commit, () => readForAll(world, commit, signal))
    commits.keepEarlier(commit, state, steadyMs())
    return { state }
  } catch (error) {
    signal.throwIfAborted()
    const { code, message: reason } = toFailure(error)
    if (code === 'interrupted') return earlierState(world, commit, signal, isPersonAsking)
    if (commits.isNews(commit, reason, steadyMs()))
      log.warn('an earlier commit cannot be read any more', { commit, reason })
    return { reason }
  }
}

/** Whoever reads may be stopped for a reason of its own, which says nothing to the others that wait for it. */
async function readForAll(world: World, commit: string, signal: AbortSignal): Promise<DesiredState> {
  try {
    return await stateAt(world, commit, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new Failure('interrupted', 'who read it for all was stopped', { cause })
  }
}
