import type { Problem } from '../../errors.ts'
import type { SeccompProfile } from '../../state/application/container/system-calls/filter.ts'
import type { Blocked } from '../../state/application/desired.ts'
import type { Pod } from '../../state/application/pod/pod.ts'
import type { Revision } from '../../state/repository/revision.ts'
import { defaultSite } from '../../state/site.ts'
import type { FieldChange } from '../compare/field/field-change.ts'
import type { Held } from '../hold/held.ts'
import type { Rollout } from '../rollout/rollout.ts'
import type { Step } from '../step/step.ts'
import type { Walk } from './walk.ts'

/** `scale`: a service of a Swarm gets another number of tasks, and none of them is replaced. */
export type Action = 'create' | 'replace' | 'scale' | 'start' | 'remove' | 'run'

/** Why a service differs: the four kinds of difference. */
export type Cause = 'missing' | 'diverged' | 'drifted' | 'orphaned'

/** An instance as a pod. */
export type ShownPod = Pod & {
  /** The profiles that were made of sets of system calls, by the names of its apps (C40). */
  readonly seccomp?: Readonly<Record<string, SeccompProfile>>
  /**
   * The apps whose file systems keep what was written into them when the engine itself starts them again (C50); absent:
   * none.
   */
  readonly keepsFiles?: readonly string[]
}

/** What happens to one instance: one line in the text form. */
export type InstanceLine = {
  readonly sign: '+' | '-/+' | '~' | '-'
  /** `web.1` */
  readonly name: string
  readonly reason: string
  /** What a probe printed about it: not the same at each look, and no part of what is approved. */
  readonly said?: string
}

/** A service on a site. */
export type ServicePlace = { readonly site: string; readonly application: string; readonly service: string }

/**
 * Everything that will happen to one service on one site: what and why, what it leads to, how, and when. The cause
 * tells the cases apart, and `isPutBack` those of what drifted.
 */
export type Change = Delivery | Repair | Restoration | Removal

/** It brings a service to what the repository wants by now, or clears away a network that this leaves unused. */
export type Delivery = Case<
  {
    readonly cause: 'missing' | 'diverged'
    readonly fields: readonly FieldChange[]
    /** What runs once in this rollout, in order: `pre hook (Retry): migrate up`, `deploy`. */
    readonly jobs: readonly string[]
  },
  'whole' | 'pods' | 'walk' | 'isBegun' | 'deploys' | 'isSpecificationGone'
>

/** It gives a service back what was applied and the world changed, or an attempt at what nobody wants any more. */
export type Repair = Case<
  {
    readonly cause: 'drifted'
    readonly fields: readonly FieldChange[]
    readonly jobs: readonly []
  },
  'whole' | 'pods' | 'isWayBack' | 'otherVolumes'
>

/** It ends an attempt that failed, or was interrupted, by what ran before: that is not what is wanted (G5, D18). */
export type Restoration = Case<
  {
    readonly action: 'start'
    readonly cause: 'drifted'
    readonly fields: readonly []
    readonly jobs: readonly []
    readonly target: BeforeTarget
  },
  'isWayBack' | 'otherVolumes'
>

/**
 * It takes away what is no longer declared. `unneeded`: nothing differs, and no service needs it, not even for a
 * rollback.
 */
export type Removal = Case<
  {
    readonly action: 'remove'
    readonly cause: 'orphaned' | 'unneeded'
    readonly fields: readonly []
    readonly jobs: readonly []
    readonly target: 'absent'
    readonly release: 'absent'
  },
  'isBegun' | 'isSpecificationGone'
>

/** What all changes have, with what this case has of its own. It cannot have what only others have. */
type Case<Own, Extra extends keyof Extras> = ServicePlace &
  Explanation &
  Aim &
  Course &
  Own &
  Pick<Extras, Extra> & { readonly [Other in Exclude<keyof Extras, Extra>]?: never }

/** What only some changes have. */
type Extras = {
  /**
   * Fingerprints of new instances that were compared with nothing, because nothing existed before or it is unknown.
   * They are shown whole.
   */
  readonly whole?: readonly string[]
  /** What the instances that it makes are as pods, each once (C4, C40); absent: they are none. */
  readonly pods?: readonly [ShownPod, ...ShownPod[]]
  /** It is a step on the way to another version, which may not follow what runs (A65). */
  readonly walk?: Walk
  /** What this rollout deploys, now or before it was interrupted, each by the content of its image (P6). */
  readonly deploys?: readonly string[]
  /** It completes a version that was begun before. The wanted one has to wait (A62). */
  readonly isBegun?: true
  /** It ends an attempt that was left half-done, and restores the state before it (D18). */
  readonly isWayBack?: true
  /**
   * Volumes that are gone and that it makes otherwise than they were, so that somebody is asked even about a repair (D4);
   * absent: none.
   */
  readonly otherVolumes?: readonly [string, ...string[]]
  /** What runs of its application was made from a specification that is gone. It is confirmed like a removal (D16). */
  readonly isSpecificationGone?: true
}

/** What a change is for people: what happens, why, to what, and when. */
type Explanation = {
  readonly action: Action
  readonly reason: string
  readonly instances: number
  readonly lines: readonly InstanceLine[]
  readonly after: readonly After[]
  /** Nothing on the site needs it any more once what it comes after is gone, and it is no question of its own (A26). */
  readonly goesWithLast?: true
  /** It differs, but nothing is done about it now. */
  readonly held?: Held
}

/** What a change brings its service to, as approvals, attempts and quarantine know it. */
type Aim = {
  /** The fingerprints that this service is to have, as one value; `absent` for none. */
  readonly target: string
  /** The release of the service, including hooks and limits. Approvals are bound to it (D4, D18). */
  readonly release: string
  /** The release of its whole application. Quarantine is bound to it. */
  readonly applicationRelease?: string
}

/** The steps of a change, from the first preparation to the way back. */
type Course = Rollout & {
  /**
   * Steps that stop nothing that runs, except to correct names. They are done for all changes before the first stage of
   * any (G1).
   */
  readonly prepare: readonly Step[]
  /** How long all of it may take, without a phase that must not be interrupted (H25, X12). */
  readonly deadlineMs?: number
}

/** Another change of the plan, by key, that has to have succeeded, or only ended, first. */
export type After = {
  readonly key: string
  readonly must: 'succeed' | 'end'
  /** What it gives up to this one, in words; absent: nothing. */
  readonly gives?: string
}

/** Whether a service that its application no longer has stays because the operator says so: it is of no version (D3). */
export function isLeftOver({ cause, held }: Pick<Change, 'cause' | 'held'>): boolean {
  return cause === 'orphaned' && held?.code === 'prune-never'
}

/** Whether people are asked about a change: it is due, or will be when its turn comes (X18). */
export function isAsked({ held }: Pick<Change, 'held'>): boolean {
  return held === undefined || held.isQueued === true
}

/** Returns `site/application/service`, which is unique in a plan. */
export function keyOf(change: ServicePlace): string {
  return `${change.site}/${change.application}/${change.service}`
}

/** Splits such a key. The name of a site may contain slashes. What an error is about may name a service alone. */
export function splitKey(key: string): ServicePlace {
  const last = key.lastIndexOf('/')
  const before = last < 1 ? -1 : key.lastIndexOf('/', last - 1)
  return {
    site: before < 0 ? '' : key.slice(0, before),
    application: last < 0 ? '' : key.slice(before + 1, last),
    service: key.slice(last + 1),
  }
}

/** Returns the title of a change for people. It names the site only if that is not the default one. */
export function titleOf(place: ServicePlace): string {
  const name = placeName(place)
  return place.site === defaultSite ? name : `${name} on ${place.site}`
}

/** Returns `shop/web`, or only the name if an application and its service have the same. */
export function placeName({ application, service }: Omit<ServicePlace, 'site'>): string {
  return service === application || service.startsWith('network ') ? service : `${application}/${service}`
}

/**
 * Whether it only finishes an interrupted undo, so that its result is not what is wanted (G5). The target says it, and no
 * field besides: a change is written down, and named by its plan's id, with all that it has.
 */
export function isPutBack(change: Change): change is Restoration {
  return change.target.startsWith(beforeTarget(''))
}

/** Whether it restores what ran before, of which Tallyman itself left something half-done. */
export function isBack(change: Change): boolean {
  return change.isWayBack === true || isPutBack(change)
}

type BeforeTarget = `before ${string}`

/** Returns the target of what only finishes an undo: what ran before the target that failed. */
export function beforeTarget(failed: string): BeforeTarget {
  return `before ${failed}`
}

export type Plan = {
  /** A canonical hash of environment and changes: equal states have equal ids. The commit is no part of it (D4). */
  readonly id: string
  readonly environment: string
  readonly revision: Revision
  readonly changes: readonly Change[]
  /** Applications that cannot be planned. Nothing of theirs is touched (D15). */
  readonly blocked: readonly Blocked[]
  /** Sites that did not answer, so that it is unknown what runs there (G17). */
  readonly unseen: readonly string[]
  readonly warnings: readonly Problem[]
}
