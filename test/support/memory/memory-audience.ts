import type { Speaker } from '../../../lib/answers/subject/speaker.ts'
import type { Audience, FoundState, Rival, Subject } from '../../../lib/answers/subject/subject.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import { recordGood } from '../../../lib/reconcile/repository/record-wanted.ts'
import type { WaitingItem } from '../../../lib/reconcile/site/decision/needs-approval.ts'
import type { WaitingPart } from '../../../lib/reconcile/status/last-state.ts'
import type { Windows } from '../../../lib/state/fleet/window.ts'
import { desired } from '../builders/builders.ts'
import { memoryJournal } from './memory-journal.ts'

/** What is found of it, and the names of its applications. */
type FoundNow = FoundState & { readonly applications: readonly string[] }

/** An environment of one application `web` on the site `local`, of which a plan waits, and what is asked of it. */
export type MemorySubject = Subject & {
  /** What was asked of whoever looks after it, in order. */
  readonly asked: readonly string[]
  /** What is found from now on. */
  find(found: Partial<FoundNow>): void
  /** Whether a rollout is under way from now on. */
  roll(isRollingOut: boolean): void
  /** On which sites another process writes from now on, and what says so. */
  rival(sites: ReadonlyMap<string, Rival>): void
}

/** The plan that waits: `web` is replaced, and `old` is removed. */
export const waitingPlan = { id: 'aaaa000000000001', commit: '1'.repeat(40) }

/** What waits on the site `local`. */
export function part(planId: string, ...items: readonly WaitingItem[]): WaitingPart {
  return { site: 'local', planId, commit: waitingPlan.commit, endedMs: 1_000, items, errors: [] }
}

const bothWait = [part(waitingPlan.id, item('web/web', 'replace'), item('old/old', 'remove'))]

export function item(resource: string, action: WaitingItem['action']): WaitingItem {
  return {
    resource,
    action,
    release: `release-of-${resource}`,
    isRemoval: action === 'remove',
  }
}

/** An environment for which passes are made, of which nobody makes one. */
export function memorySubject(
  name = 'prod',
  found: Partial<FoundNow> = { plan: waitingPlan, parts: bothWait },
  windows: ReadonlyMap<string, Windows> = new Map(),
  unreadable: ReadonlyMap<string, string> = new Map(),
): MemorySubject {
  const asked: string[] = []
  let now: FoundNow = {
    parts: [],
    others: [],
    unverified: [],
    endedMs: 1_000,
    errors: [],
    applications: ['web'],
    ...found,
  }
  let rivals: ReadonlyMap<string, Rival> = new Map()
  let isRollingOut = false
  return {
    asked,
    find(more) {
      now = { ...now, ...more }
    },
    roll(rolls) {
      isRollingOut = rolls
    },
    rival(sites) {
      rivals = sites
    },
    name: () => name,
    isWrittenAs: written => written === `environments/${name}`,
    approvalExpiresMs: 60_000,
    hasNoIngress: false,
    found: () => now,
    applications: () => now.applications,
    rollingOut: () => (isRollingOut ? ['local'] : []),
    async look() {
      asked.push('look')
    },
    async until(isSo) {
      if (!isSo()) asked.push('wait')
    },
    request() {
      asked.push('request')
      return { from: 2, look: 3 }
    },
    requestOfDeployment() {
      asked.push('request of a deployment')
      return { from: 2, look: 3 }
    },
    tryAgain: () => void asked.push('try again'),
    ofRuns: () => ({ isReady: () => true }),
    sites: () => [
      'local',
      'edge',
      ...[...windows.keys()].filter(site => site !== 'edge' && site !== 'local'),
    ],
    unusable: () =>
      new Map([['west', { message: 'sites/west.yaml:3:1: /labels is no mapping', hint: 'Correct it.' }]]),
    rivals: () => rivals,
    unasked: () => new Set(),
    windows: () => windows,
    unreadable: async commit => unreadable.get(commit),
    async setDraining(site, isDraining, who) {
      asked.push(`${isDraining ? 'drain' : 'undrain'} ${site} for ${who}`)
    },
  }
}

/** The time at which everything is said. */
export const saidMs = Date.parse('2026-03-01T12:00:00Z')

export function memoryAudience(...subjects: readonly Subject[]): Audience & { readonly journal: Journal } {
  return { subjects, journal: memoryJournal(), nowMs: () => saidMs }
}

/** Keeps versions of `web`, the last one as the newest: each of a commit that is the version, forty times. */
export function keepVersions({ journal }: Audience, ...versions: readonly string[]): void {
  for (const version of versions)
    journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version, commit: version.repeat(40) },
      ...{ mark: version, images: [], atMs: saidMs },
    })
}

/** Has the repository looked at, which has what it had before. */
export function lookAgain({ journal }: Audience): void {
  recordGood({ journal }, desired())
}

export const ann: Speaker = { who: 'ann', via: 'control', may: () => true }
/** Somebody who may say nothing. */
export const stranger: Speaker = { who: 'eve', via: 'control', may: () => false }
