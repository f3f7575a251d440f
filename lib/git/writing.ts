import { Failure } from '../errors.ts'
import type { Draft } from './draft/draft.ts'
import { type Ref, shortName } from './ref.ts'
import type { ReadObject } from './snapshot/commit-snapshot.ts'

/** A branch by its full name, such as `refs/heads/main`, and its newest commit. */
export type Branch = { readonly name: string; readonly commit: string }

/** How one commit is added to a repository. A branch is only ever moved on from its newest commit, never by force. */
export type Writing = {
  /** Returns the branch that the ref means now. Fails with `push-impossible` if it means none, or as `lookUp` does. */
  branch(signal: AbortSignal): Promise<Branch>
  /** Returns what reads the objects of a commit. Fails as `snapshot` does. */
  objects(commit: string, signal: AbortSignal): Promise<ReadObject>
  /**
   * Moves a branch on to a commit. Fails with `branch-moved` if it got another commit meanwhile, with `push-refused`,
   * or as `lookUp` does. If it fails for another reason, the branch may have moved all the same.
   */
  push(branch: Branch, draft: Draft, signal: AbortSignal): Promise<void>
}

/** Returns the branch that a ref of the repository is, or that it points to. Fails with `push-impossible`. */
export function branchOf({ name, target = name, oid }: Ref, where: string): Branch {
  if (target.startsWith('refs/heads/')) return { name: target, commit: oid }
  throw notABranch(shortName(name), where)
}

/** Returns the failure for a ref to which nothing can be added. */
export function notABranch(ref: string, where: string): Failure {
  return new Failure('push-impossible', `${where}: "${ref}" is no branch, so no commit can be added to it`)
}
