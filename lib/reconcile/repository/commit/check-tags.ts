import { type Problem, toFailure } from '../../../errors.ts'
import type { World } from '../../world.ts'
import type { ReadCommit } from './commits.ts'

/** How often the tags of a commit are checked again. Each costs a registry call, so it is seldom (G21). */
const everyMs = 60 * 60_000

/** The part of a commit that was read that says what its tags mean. */
type Tagged = Pick<ReadCommit, 'commit' | 'pinned' | 'tags'>

type Checking<Read extends Tagged> = {
  readonly steadyMs: World['steadyMs']
  readonly log: Pick<World['log'], 'warn'>
  readonly memory: {
    readonly commits: { inForce(): Read | undefined; setInForce(read: Read): void }
  }
}

/**
 * Has the tags of the commit in force checked once an hour, and returns at once which had moved when that was found last:
 * a registry that says nothing keeps no new commit waiting. What is found is told from the next look on, if the commit is
 * in force then. What keeps them from being checked is logged.
 * @param check asks the registries, until the signal aborts
 */
export function checkTags<Read extends Tagged>(
  { steadyMs, log, memory: { commits } }: Checking<Read>,
  known: Read,
  check: () => Promise<readonly Problem[]>,
  signal: AbortSignal,
): readonly Problem[] {
  const { commit, pinned, tags } = known
  const checkedMs = steadyMs()
  if (checkedMs - tags.checkedMs < everyMs) return tags.moved
  commits.setInForce({ ...known, tags: { ...tags, checkedMs } })
  const note = (moved: readonly Problem[]) => {
    const now = commits.inForce()
    if (now?.commit === commit && now.pinned === pinned)
      commits.setInForce({ ...now, tags: { checkedMs, moved } })
  }
  check().then(note, (error: unknown) => {
    const { code, message } = toFailure(error)
    if (!signal.aborted) log.warn(`nobody knows whether tags have moved: ${message}`, { commit, code })
  })
  return tags.moved
}
