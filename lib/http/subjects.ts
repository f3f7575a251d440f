import { waitingAmong } from '../answers/subject/asked.ts'
import type { Audience, FoundState, Subject } from '../answers/subject/subject.ts'
import { Failure, messageOf } from '../errors.ts'
import type { Loop } from '../reconcile/loop/loop.ts'
import { untilWithin } from '../reconcile/loop/pass-ends.ts'
import { earlierState } from '../reconcile/repository/version/earlier-state.ts'
import { waitingItems } from '../reconcile/site/decision/needs-approval.ts'
import { resultsBySite } from '../reconcile/site/result/join-results.ts'
import { hindrancesIn, type PassResult } from '../reconcile/site/result/pass-result.ts'
import { sitesOf } from '../reconcile/site/site.ts'
import { knownOfRuns } from '../reconcile/status/deployment/known-of-runs.ts'
import { keptOf, type WaitingPart } from '../reconcile/status/last-state.ts'
import { unusableSites } from '../reconcile/status/site/site-document.ts'
import { timeout as abortAfter } from '../wait/timer.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { knownAs, nameOfControlled } from './environments.ts'

/** Shorter than the time that the command waits for the answer. */
const [drainMs, readMs] = [8_000, 8_000]

/** Returns the environments that run here, as answers are given to them. */
export function audienceOf({ running, journal, nowMs }: ControlOptions): Audience {
  return { subjects: running.map(subjectOfLoop), journal, nowMs }
}

/** Returns an environment as its loop knows it. */
function subjectOfLoop(controlled: Controlled): Subject {
  const { world, loop, ends } = controlled
  return {
    ...knownAs(controlled),
    approvalExpiresMs: world.config.approvalExpiresMs,
    hasNoIngress: world.config.ingress === undefined,
    found: () => foundBy(controlled),
    applications: () => applicationsOf(controlled),
    rollingOut: () => rollingOutIn(loop),
    look: async (limitMs, isEnough = () => false) => {
      const look = loop.request('command')
      await untilWithin(ends, () => loop.isKnown(look) || isEnough(), limitMs)
    },
    until: async (isSo, limitMs) => void (await untilWithin(ends, isSo, limitMs)),
    // A pass that runs may still heed what was said.
    request: () => ({ from: ends.count(), look: loop.request('command') }),
    requestOfDeployment: () => ({ from: ends.count(), look: loop.request('deployment') }),
    tryAgain: () => {
      for (const { memory } of sitesOf(world)) memory.convergence.forget()
    },
    ofRuns: () => knownOfRuns(world),
    sites: () => world.engines.map(({ site }) => site),
    unusable: () => unusableSites(world.config),
    rivals: () => {
      const { whose, sites } = world.memory
      return new Map(
        [...whose.theirs()].flatMap(site => {
          const rival = sites.of(site).writership.rival()
          return rival === undefined ? [] : [[site, rival] as const]
        }),
      )
    },
    unasked: () => {
      const { whose } = world.memory
      const isUnknown = (site: string) => (whose.of(site) ?? 'none') === 'none'
      return new Set(world.engines.flatMap(({ site }) => (isUnknown(site) ? [site] : [])))
    },
    windows: () => {
      const here = new Set(world.engines.map(({ site }) => site))
      const sites = world.config.sites.filter(({ name }) => here.has(name))
      return new Map(sites.map(({ name, windows }) => [name, windows]))
    },
    async unreadable(commit) {
      if (world.memory.commits.inForce()?.commit === commit) return undefined
      const found = await earlierState(world, commit, abortAfter(readMs), true).catch((error: unknown) => ({
        reason: messageOf(error),
      }))
      return 'reason' in found ? found.reason : undefined
    },
    async setDraining(site, isDraining, who) {
      const identity = world.memory.names.identity()
      const engine = world.engines.find(one => one.site === site)
      if (identity === undefined || engine === undefined)
        throw new Failure(
          'wrong-usage',
          `${nameOfControlled(controlled)} has not been read yet, so its ingress is not known`,
        )
      await engine.setDraining(identity, isDraining, abortAfter(drainMs))
      world.memory.ingresses.forget()
      world.log.info(isDraining ? 'site drained' : 'site no longer drained', { site, who })
    },
  }
}

function rollingOutIn(loop: Loop): readonly string[] {
  return [...loop.sites()].flatMap(([site, { running }]) => (running?.changes.length ? [site] : []))
}

function foundBy(controlled: Controlled): FoundState {
  const { last, lastEndedMs = 0, unverified } = controlled.loop.state()
  const { plan } = last ?? {}
  return {
    ...(plan === undefined ? {} : { plan: { id: plan.id, commit: plan.revision.commit } }),
    ...waitingAmong(last === undefined ? [] : resultsBySite(last).flatMap(partOf)),
    shownEarlier: id => shownEarlier(controlled, id),
    unverified,
    endedMs: lastEndedMs,
    errors: last === undefined ? [] : hindrancesIn(last),
  }
}

/**
 * Returns the names of what is wanted, and of what was last seen on each site. What the journal keeps is read of those not
 * seen since the start.
 */
function applicationsOf(controlled: Controlled): readonly string[] {
  const { world, loop } = controlled
  const { applications = [], blocked = [] } = loop.desired() ?? {}
  const names = new Set([...applications.map(({ name }) => name), ...blocked.map(one => one.application)])
  const environment = nameOfControlled(controlled)
  // There may be thousands of sites, which have twenty each.
  for (const { site } of world.engines) {
    const seen = world.memory.fleet.seen.on(site) ?? keptOf(world.journal, environment, site).state
    for (const { application } of seen?.applications ?? []) names.add(application)
  }
  return [...names]
}

/** A plan of several sites that was shown stays what it was as long as each of them has the same plan (D4). */
function shownEarlier({ world, loop }: Controlled, id: string): readonly string[] {
  const { last } = loop.state()
  const now = new Set(last === undefined ? [] : resultsBySite(last).flatMap(({ plan }) => plan?.id ?? []))
  const shown = world.memory.shown.of(id)
  return shown.every(one => now.has(one)) ? shown : []
}

function partOf({ site = '', plan, waiting, errors, endedMs = 0 }: PassResult): readonly WaitingPart[] {
  if (plan === undefined) return []
  const { id: planId, revision } = plan
  return [{ site, planId, commit: revision.commit, endedMs, items: waitingItems(waiting), errors }]
}
