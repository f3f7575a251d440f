import type { HeldStatus } from '../../reconcile/status/environment-status.ts'
import { shortCommit } from '../../state/repository/revision.ts'

/** Returns at which version somebody holds an application, who does, and how it ends (A12). */
export function heldText({ application, version, commit, reason, who }: Omit<HeldStatus, 'since'>): string {
  const why = reason === '' ? '' : `: ${reason}`
  return `held at version ${version} (${shortCommit(commit)}) by ${who}${why}; to end it: tallyman resume ${application}`
}

/** Says that of each of these applications, by its name. */
export function heldLines(held: readonly HeldStatus[] = []): readonly string[] {
  return held.map(one => `  ${one.application} ${heldText(one)}`)
}
