import { Failure } from '../../errors.ts'
import type { Draft } from '../draft/draft.ts'
import { packOf } from '../draft/pack-of.ts'
import { movedOn } from '../wire/push.ts'
import type { Branch } from '../writing.ts'
import type { GitServer } from './server.ts'

/**
 * Moves a branch of a server on to a commit. After a failure, the server is asked where the branch is: an answer may be
 * lost although the push was taken, and a branch that moved is told from a refusal. Fails as `Writing.push` does.
 */
export async function pushTo(
  server: GitServer,
  { name, commit: from }: Branch,
  { commit: to, objects }: Draft,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await server.push({ branch: name, from, to, pack: packOf(objects) }, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error
    const refusal = refusalOf(error, address)
    const found = await server.find([name], signal).catch(() => {
      throw refusal
    })
    if (found?.oid === to) return
    if (found !== undefined && found.oid !== from) throw movedOn(address, name)
    throw refusal
  }
}

/** Who may read and not write is refused in the words for who may not even read. */
function refusalOf(failure: Failure, address: string): Failure {
  const { code, message } = failure
  const isDenied =
    code === 'git-auth-failed' ||
    code === 'git-not-found' ||
    (code === 'git-unreachable' && denied.test(message))
  if (!isDenied) return failure
  const words = message.replace(`${address}: `, '')
  return new Failure(
    'push-refused',
    `${address}: this login may read the repository, but not push to it: ${words}`,
    { cause: failure },
  )
}

/** How servers put it over SSH: GitHub, GitLab, Gitea, Bitbucket, gitolite, git's own shell. */
const denied =
  /read.?only|permission|denied|not allowed|not permitted|forbidden|unauthori[sz]ed|archived|deploy (?:key|token)|status 40[0-9]/i
