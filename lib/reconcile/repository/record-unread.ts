import { toFailure } from '../../errors.ts'
import type { PassRequest } from '../site/pass-request.ts'
import { endPass, knownRevision } from '../site/record/end-pass.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { failureError } from '../status/error.ts'
import { asLastState, keptTogether, type LastState, stateAfter } from '../status/last-state.ts'
import type { World } from '../world.ts'
import { environmentName } from './identity/environment-name.ts'

/**
 * Records a look that could not read what is wanted, so that no site was looked at. Until the repository is read again,
 * its errors are those of the environment. `startedMs`: when the look began, on the steady clock. Returns the result,
 * with the number under which it is found.
 */
export function recordUnread(
  world: World,
  { trigger, until }: Pick<PassRequest, 'trigger' | 'until'>,
  result: PassResult,
  startedMs: number,
): PassResult {
  if (until === 'plan') return result
  const { journal, memory, nowMs } = world
  try {
    const name = environmentName(world)
    const passId = journal.beginPass({ environment: name, trigger, atMs: nowMs() })
    const { commit: newest, atMs = 0 } = memory.commits.lookedUp() ?? {}
    // It failed after it knew the commit.
    if (newest !== undefined && atMs >= startedMs) journal.setRevision(passId, knownRevision(world, newest))
    const ended = endPass(world, passId, result)
    const state = stateAfter(keptTogether(journal, name), result, newest, nowMs())
    if (state !== undefined) journal.insist(() => journal.keepState(name, '', { ...state, applications: [] }))
    return ended
  } catch (error) {
    return { ...result, errors: [...result.errors, failureError(toFailure(error))] }
  }
}

/** Ends what `recordUnread` said, once the repository was read. Writes nothing if there is nothing to end. */
export function recordRead({ journal }: World, environment: string): void {
  const common = journal.keptState(environment, '')
  if (common === undefined) return
  journal.insist(() => {
    handDown(journal, environment, asLastState(common.state))
    journal.forgetCommonState(environment)
  })
}

/** Since when sites are not reached is known of each from here on, until a pass over it says more. */
function handDown(journal: World['journal'], environment: string, common: LastState | undefined): void {
  for (const one of common?.unreachable ?? []) {
    if (journal.keptState(environment, one.site) !== undefined) continue
    const state: LastState = {
      outcome: 'unreachable',
      sync: 'Unknown',
      errors: [],
      unreachable: [one],
      isSeen: false,
      applications: [],
    }
    journal.keepState(environment, one.site, state)
  }
}
