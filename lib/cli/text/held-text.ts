import type { HeldStatus } from '../../reconcile/status/environment-status.ts'
import { shortCommit } from '../../state/repository/revision.ts'

/** Returns, for each application that somebody holds at a version, which one that is, who does, and how it ends (A12). */
export function heldLines(held: readonly HeldStatus[] = []): readonly string[] {
  return held.map(({ application, version, commit, reason, who }) => {
    const why = reason === '' ? '' : `: ${reason}`
    return `  ${application} held at version ${version} (${shortCommit(commit)}) by ${who}${why}; to end it: tallyman resume ${application}`
  })
}
