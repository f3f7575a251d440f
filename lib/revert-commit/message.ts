import { shortCommit } from '../state/repository/revision.ts'
import type { GoingBack } from './propose.ts'

/**
 * Returns the message of a commit that brings something back: what goes back, from where to where, and who asked for
 * it.
 * @param reason what that person says of it; empty: nothing
 */
export function commitMessage(
  { environment, application, from, to }: GoingBack,
  { who, reason }: { readonly who: string; readonly reason: string },
): string {
  const target = to.version ?? shortCommit(to.commit)
  const subject =
    application === undefined
      ? `Bring back ${environment.name} as of ${shortCommit(to.commit)}`
      : `Roll back ${application} in ${environment.name} to ${target}`
  const what = application === undefined ? 'The environment is' : `${application} is`
  const versions =
    application === undefined
      ? ''
      : ` Its version goes from ${from.version ?? 'none'} to ${to.version ?? 'none'}.`
  const body = `${what} again as in commit ${to.commit}, instead of as in ${from.commit}.${versions} Asked for by ${who}.`
  return [subject, '', body, ...(reason === '' ? [] : ['', reason])].join('\n')
}
