import type { Engine } from '../../engine.ts'
import { toFailure } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { createWaking } from '../concurrency/waking.ts'
import { readKeptSites } from '../fleet/kept-sites.ts'
import { desiredState, type Wanted } from '../repository/desired.ts'
import { recordGone } from '../repository/record-gone.ts'
import { recordRead, recordUnread } from '../repository/record-unread.ts'
import { unreadResult } from '../round.ts'
import { meetEngines } from '../site/identity/twin.ts'
import { hindrancesIn, type PassResult } from '../site/result/pass-result.ts'
import { enginesBySite, type SiteWorld, sitesOf } from '../site/site.ts'
import { giveUp } from '../site/writer/become-writer.ts'
import type { World } from '../world.ts'
import { isRetry, nextDelayMs } from './delay.ts'
import { followDeployments } from './deployments.ts'
import { guarded } from './guarded.ts'
import { createLeaving } from './leaving.ts'
import { createJoin, desiredIn, joinLoops, type LoopState, type RepositoryLooks } from './loop-state.ts'
import {
  isSameWanted,
  type LoopOptions,
  type Offer,
  type SiteLoop,
  type SiteLoopState,
  startSiteLoop,
} from './site-loop.ts'
import type { Trigger } from './trigger.ts'
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

/** How the loop of a site is ended whose site is gone, and what it gives up afterwards. */
type Ending = {
  readonly engine: Engine
  readonly leave: () => void
  readonly giveUp: () => Promise<void>
}

/**
 * Looks at the repository of one environment again and again, and hands what it wants to the loop of each site. It
 * never waits for a site (G17). Once the signal aborts, all loops end. They also end if one of them fails, because
 * nothing would look after its part any more.
 */
export function startLoop(world: World, options: LoopOptions): Loop {
  const { pollMs, random } = options
  const join = createJoin()
  const waking = createWaking()
  const deployments = followDeployments(world, random, names =>
    waking(names.map(name => () => sites.get(name)?.look('deployment'))),
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
  const wake = createWake<Trigger | 'retry'>(signal, (before, now) =>
    before === 'deployment' || now === 'command' ? now : before,
  )
  const sites = new Map<string, SiteLoop & Ending>()
  const leaving = createLeaving(
    // What a loop records until it has ended is about the engine that it was begun with.
    (environment, isEnding) => recordGone(world, environment, name => isEnding(name) || isGone(name)),
    {
      steadyMs: world.steadyMs,
      onUnsettled(error) {
        const { message, code, hint } = toFailure(error)
        world.log.error(`what is on record of sites that went cannot be settled: ${message}`, { code, hint })
        wake.ask('retry')
      },
    },
  )
  let [begun, ended, failures] = [0, 0, 0]
  let lookingSinceMs: number | undefined
  let nextMs: number | undefined
  /** What the sites have now. */
  let handedOver: Wanted | undefined
  /** The look that came to no site, while none has since. */
  let unread: RepositoryLooks['unread']
  /** The sites that have not dealt yet with the look that was asked about last. */
  let waitedFor: { readonly look: number; readonly left: SiteLoop[] } | undefined

  /**
   * Offers what is wanted to all sites. If it was looked again before the interval was over, or because of a word about
   * a deployment, a site makes a pass only if something is new. `turned`: those whose turn has come, or for which a
   * deployment changed otherwise.
   */
  const offer = (wanted: Wanted, look: number, why: Trigger | 'retry', turned: ReadonlySet<string>) => {
    const trigger = triggerOf(why)
    const isForAll = why !== 'retry' && why !== 'deployment'
    const isNews = isForAll || handedOver === undefined || !isSameWanted(wanted, handedOver)
    handedOver = wanted
    // Where something went wrong, whoever says a word about a deployment wants it tried again.
    const isDue = (name: string, loop: SiteLoop) =>
      isNews || turned.has(name) || (why === 'deployment' && isTroubled(loop))
    // What is wanted and whose turn it is belong together, so it is handed over to all before the first is woken.
    const wakes = sitesOf(world).flatMap(site => {
      const name = site.engine.site
      const known = sites.get(name)
      if (known === undefined) return begin(site, { wanted, look }, trigger)
      if (isDue(name, known)) return known.offer({ wanted, look }, trigger) ?? []
      known.adopt({ wanted, look })
      return []
    })
    waking(wakes)
  }

  /**
   * Ends the loops of sites that are gone: the operator took them out, or gave them another engine, or the environment
   * is another one now, which they do not run.
   */
  const leaveGone = (environment: string) => {
    for (const [name, loop] of sites) {
      if (isHere(name, loop)) continue
      loop.leave()
      leaving.leave(
        name,
        loop.ended.then(loop.giveUp).catch(() => undefined),
      )
      sites.delete(name)
      world.memory.forget(name)
      waitedFor = undefined
    }
    leaving.settle(environment)
  }

  const isHere = (name: string, { engine }: Ending) => enginesBySite(world.engines).get(name) === engine

  const isGone = (name: string) => {
    const loop = sites.get(name)
    return loop !== undefined && !isHere(name, loop)
  }

  /** Returns what lets the first pass begin. */
  const begin = (site: SiteWorld, first: Offer, trigger: Trigger): (() => void) => {
    const { engine } = site
    const { signal: left, abort: leave } = linkedAbort(signal)
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
    const after = woken.then(() => leaving.after(engine.site, left))
    const own = { ...options, onResult, onBeside, onKnown, signal: left, after }
    const loop = startSiteLoop(site, first, trigger, own)
    loop.ended.catch(error => failing.abort(error))
    sites.set(engine.site, { ...loop, engine, leave, giveUp: () => giveUp(site) })
    return wake
  }

  const look = async (why: Trigger | 'retry', number: number): Promise<Wanted | PassResult> => {
    const startedMs = world.steadyMs()
    try {
      const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
      recordRead(world, wanted.desired.environment)
      unread = undefined
      leaveGone(wanted.desired.environment)
      const { engines } = world
      await meetEngines(world, signal)
      await world.memory.fleet.windows.load(world.config.sites)
      await readKeptSites(world, wanted.desired)
      // Other sites may be configured by now.
      if (world.engines !== engines) leaveGone(wanted.desired.environment)
      offer(wanted, number, why, deployments.advance(wanted.desired))
      return wanted
    } catch (error) {
      const failed = unreadResult(toFailure(error), signal)
      const result = recordUnread(world, { trigger: triggerOf(why), until: 'apply' }, failed, startedMs)
      unread = { result, endedMs: world.nowMs() }
      return result
    }
  }

  const lookAgainAndAgain = async () => {
    let why: Trigger | 'retry' = 'start'
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
    await Promise.allSettled([leaving.ended(), ...[...sites.values()].map(site => site.ended)])
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
    isSettled(number, only) {
      if (ended < number) return false
      if (unread !== undefined) return true
      const hasDealt = (site: SiteLoop | undefined) => site === undefined || site.state().look >= number
      if (only !== undefined) return only.every(name => hasDealt(sites.get(name)))
      // It is asked after each pass, so a site that is settled is not asked again.
      if (waitedFor?.look !== number) waitedFor = { look: number, left: [...sites.values()] }
      const { left } = waitedFor
      while ((left.at(-1)?.state().look ?? -1) >= number) left.pop()
      return left.length === 0
    },
    isKnown: number =>
      ended >= number &&
      (unread !== undefined || [...sites.values()].every(site => isKnownOn(site.state(), number))),
    state: () =>
      joinLoops(
        [...sites.values()].map(site => site.state()),
        looks(),
        join,
      ),
    desired: () =>
      desiredIn(
        [...sites.values()].map(site => site.state()),
        { unread },
      ),
    sites: () => new Map([...sites].map(([name, site]) => [name, site.state()])),
    site: name => sites.get(name)?.state(),
    looks,
    ended: run(),
  }
}

/** Returns why a look is made, as the passes record that it leads to. */
function triggerOf(why: Trigger | 'retry'): Trigger {
  return why === 'retry' ? 'poll' : why
}

/**
 * Whether no pass has come to its end over a site, or something went wrong there. That it does not answer is no trouble
 * that a word about a deployment ends: it has pauses of its own.
 */
function isTroubled({ state, isResting }: SiteLoop): boolean {
  const { last } = state()
  if (last === undefined || last.errors.length > 0) return true
  return hindrancesIn(last).length > 0 && !isResting()
}

/** Whether the repository, a registry or every site did not answer, which may go away by itself. */
function mayAnswerSoon(found: Wanted | PassResult): boolean {
  return 'outcome' in found
    ? hindrancesIn(found).some(({ retry }) => retry === 'backoff')
    : found.awaitsRegistry === true || found.stale?.retry === 'backoff'
}
