import { Failure } from '../../../errors.ts'
import type { Snapshot } from '../../../state/repository/snapshot.ts'
import type { World } from '../../world.ts'

/**
 * Returns the repository at a commit. If the commit that is in force can no longer be read, what was read of it before
 * is used again. Fails as `Source.snapshot` does.
 */
export async function snapshotAt(
  { source, memory }: Pick<World, 'source' | 'memory'>,
  commit: string,
  signal: AbortSignal,
): Promise<Snapshot> {
  try {
    return await source.snapshot(commit, signal)
  } catch (error) {
    const inForce = memory.commits.inForce()
    if (!isGone(error) || inForce?.commit !== commit) throw error
    return inForce.snapshot
  }
}

/** Whether a commit cannot be read any more: the files of a directory are only there as they are now. */
export function isGone(error: unknown): boolean {
  return error instanceof Failure && error.code === 'commit-unreachable'
}
