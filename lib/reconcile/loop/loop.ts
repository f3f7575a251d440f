import { toFailure } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { createWaking } from '../concurrency/waking.ts'
import { readKeptSites } from '../fleet/sites/kept-sites.ts'
import { desiredState, type Wanted } from '../repository/desired.ts'
import { recordRead, recordUnread } from '../repository/record-unread.ts'
import { unreadResult } from '../round.ts'
import { meetEngines } from '../site/identity/twin.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import type { World } from '../world.ts'
import { followDeployments } from './deployments.ts'
import { guarded } from './guarded.ts'
import { createJoin, desiredIn, joinLoops, type LoopState, type RepositoryLooks } from './loop-state.ts'
import { isRetry, mayAnswerSoon, nextDelayMs } from './next-delay.ts'
import type { LoopOptions, SiteLoopState } from './site/site-loop-state.ts'
import { createSiteLoops } from './site-loops.ts'
import { isForAll, type Trigger, triggerOf, type Why } from './trigger.ts'
import { createWake } from './wake.ts'

export type Loop = {
  /**
   * Asks for a look at the repository, and for a pass over each site with what it finds; because of a deployment, only
   * over those for which it means something else now, or where something went wrong other than that the site does not
   * answer. Any number of requests during a look lead to one more (G18). Returns the number of the first look that begins
   * after this.
   */
  request(trigger: Exclude<Trigger, 'engine-event' | 'after-apply'>): number
  /** Whether a look has ended, and every site, or each of those that are named, has dealt with what it found. */
  isSettled(look: number, only?: readonly string[]): boolean
  /** Whether that is so, or was judged where something is being changed, which may take as long as it likes. */
  isKnown(look: number): boolean
  /** What the loops of all sites do, together. It is put together at each call, and takes longer the more sites there are. */
  state(): LoopState
  /** What the environment was compared with last, as `state` has it; undefined: it was not yet, or is not known. */
  desired(): DesiredState | undefined
  /** What the loop of each site does, by its name. */
  sites(): ReadonlyMap<string, SiteLoopState>
  /** What the loop of one site does; undefined: it has none. */
  site(name: string): SiteLoopState | undefined
  /** What is known of the looks at the repository. */
  looks(): RepositoryLooks
  /** Resolves when all loops have ended after their signal aborted. Rejects, once all have, if one of them failed. */
  readonly ended: Promise<void>
}

const untold = 'the end of a pass was not told everywhere'

/**
 * Looks at the repository of one environment again and again, and hands what it wants to the loop of each site. It waits
 * for no site (G17), except for up to two seconds in which engines say who they are when sites are new. Once the signal
 * aborts, all loops end. They also end if one of them fails, because nothing would look after its part any more.
 */
export function startLoop(world: World, options: LoopOptions): Loop {
  const { pollMs, random } = options
  const join = createJoin()
  const waking = createWaking()
  const deployments = followDeployments(world, random, names =>
    waking(names.map(name => () => sites.bySite.get(name)?.look('deployment'))),
  )
  const onResult = guarded(world.log, untold, (result: PassResult, trigger: Trigger) => {
    join.forget()
    options.onResult(result, trigger)
    deployments.told()
  })
  const onBeside = guarded(world.log, untold, (result: PassResult) => {
    options.onBeside?.(result)
    deployments.told()
  })
  const onKnown = guarded(world.log, untold, () => {
    options.onKnown?.()
    deployments.told()
  })
  const failing = new AbortController()
  const { signal } = linkedAbort(options.signal, failing.signal)
  // What a person asks for is heeded otherwise than what time brings.
  const wake = createWake<Why>(signal, (before, now) =>
    before === 'deployment' || now === 'command' ? now : before,
  )
  const sites = createSiteLoops(world, {
    ...options,
    onResult,
    onBeside,
    onKnown,
    signal,
    waking,
    onFailed: error => failing.abort(error),
    onUnsettled: () => wake.ask('retry'),
  })
  let [begun, ended, failures] = [0, 0, 0]
  let lookingSinceMs: number | undefined
  let nextMs: number | undefined
  /** The look that came to no site, while none has since. */
  let unread: RepositoryLooks['unread']

  /** With more than one site, their answers would be in memory at the same time. */
  const lookEarly = () => {
    const [only, ...others] = sites.bySite.values()
    if (others.length === 0) only?.lookEarly()
  }

  const look = async (why: Why, number: number): Promise<Wanted | PassResult> => {
    const startedMs = world.steadyMs()
    try {
      if (isForAll(why)) lookEarly()
      const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
      recordRead(world, wanted.desired.environment)
      unread = undefined
      sites.leaveGone(wanted.desired.environment)
      const { engines } = world
      await meetEngines(world, signal)
      await world.memory.fleet.windows.load(world.config.sites)
      await readKeptSites(world, wanted.desired)
      // What follows is about all sites in one piece, which takes long if there are thousands.
      if (sites.bySite.size > 1) await world.pacing.goOn()
      // Other sites may be configured by now.
      if (world.engines !== engines) sites.leaveGone(wanted.desired.environment)
      sites.offer({ wanted, look: number }, why, deployments.advance(wanted.desired))
      return wanted
    } catch (error) {
      const failed = unreadResult(toFailure(error), signal)
      const result = recordUnread(world, { trigger: triggerOf(why), until: 'apply' }, failed, startedMs)
      unread = { result, endedMs: world.nowMs() }
      return result
    }
  }

  const lookAgainAndAgain = async () => {
    let why: Why = 'start'
    while (!signal.aborted) {
      // Something may have been asked since the wait ended.
      why = wake.begin() ?? why
      begun += 1
      lookingSinceMs = world.nowMs()
      const found = await look(why, begun)
      lookingSinceMs = undefined
      ended = begun
      failures = mayAnswerSoon(found) ? failures + 1 : 0
      const delayMs = nextDelayMs({ failures, pollMs, random: random() })
      nextMs = delayMs === undefined ? undefined : world.nowMs() + delayMs
      if ('outcome' in found) onResult(found, triggerOf(why))
      why = await wake.next(delayMs, isRetry({ pollMs, failures }) ? 'retry' : 'poll')
    }
  }

  const run = async () => {
    await lookAgainAndAgain().catch(error => failing.abort(error))
    deployments.end()
    await sites.ended()
    failing.signal.throwIfAborted()
  }

  const looks = (): RepositoryLooks => ({ lookingSinceMs, nextMs, unread })

  const isKnownOn = ({ look, judged = 0, running }: SiteLoopState, number: number) =>
    look >= number || (running !== undefined && judged >= number)

  return {
    request(trigger) {
      wake.ask(trigger)
      return begun + 1
    },
    isSettled: (number, only) => ended >= number && (unread !== undefined || sites.haveDealt(number, only)),
    isKnown: number =>
      ended >= number &&
      (unread !== undefined || [...sites.bySite.values()].every(site => isKnownOn(site.state(), number))),
    state: () =>
      joinLoops(
        [...sites.bySite.values()].map(site => site.state()),
        looks(),
        join,
      ),
    desired: () =>
      desiredIn(
        [...sites.bySite.values()].map(site => site.state()),
        { unread },
      ),
    sites: () => new Map([...sites.bySite].map(([name, site]) => [name, site.state()])),
    site: name => sites.bySite.get(name)?.state(),
    looks,
    ended: run(),
  }
}
