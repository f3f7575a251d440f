import { formatProblem, toFailure } from '../../errors.ts'
import type { PassRequest } from '../site/pass-request.ts'
import { endPass, knownRevision } from '../site/record/end-pass.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { sitesNow } from '../site/site.ts'
import { failureError } from '../status/error.ts'
import { keptTogether, type LastState, stateAfter, stateOf } from '../status/last-state.ts'
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

/**
 * Ends what `recordUnread` said, once the repository was read, and forgets how sites were that are no longer
 * configured, or whose files cannot be used. What runs there stays. Writes nothing if there is nothing to forget.
 */
export function recordRead(world: World, environment: string): void {
  const { config, journal, engines, log } = world
  const common = journal.keptState(environment, '')
  if (common !== undefined)
    journal.insist(() => {
      handDown(journal, environment, stateOf(common.state))
      journal.forgetCommonState(environment)
    })
  const here = new Set(engines.map(({ site }) => site))
  for (const site of journal.keptSites(environment).filter(name => !here.has(name))) {
    const problems = config.wrongSites.flatMap(({ name, problems }) => (name === site ? problems : []))
    const present = problems.length === 0 ? presentName(world, environment, site) : undefined
    journal.insist(() => {
      // Under a name that another engine had, what is on record is about that one.
      const isNew = present !== undefined && journal.engineServed(environment, present) === undefined
      if (isNew) journal.handOn(environment, site, present)
      journal.forgetSite(environment, site)
    })
    if (present !== undefined) {
      log.info(`a site is called ${present} now`, { environment, site })
      continue
    }
    const why =
      problems.length === 0
        ? 'a site is no longer configured'
        : `the file of a site cannot be used, ${problems.map(formatProblem).join('; ')}`
    log.warn(`${why}: what runs there stays, and is no longer looked after`, { environment, site })
  }
}

/** Returns what a site is called now that went: whoever has its endpoint is the same one (A25). Undefined: nobody has. */
function presentName(world: World, environment: string, site: string): string | undefined {
  const served = world.journal.engineServed(environment, site)
  return sitesNow(world).find(({ endpoint = '' }) => endpoint === served?.endpoint)?.name
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
