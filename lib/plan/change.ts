import type { ErrorCode, Problem } from '../errors.ts'
import type { Blocked } from '../state/desired.ts'
import type { Revision } from '../state/revision.ts'
import type { Step } from './step.ts'

export type Action = 'create' | 'replace' | 'start' | 'remove' | 'run'

/** Why a service differs: the four kinds of difference. */
export type Cause = 'missing' | 'diverged' | 'drifted' | 'orphaned'

/** One field that differs, with secrets redacted. `path` is `service/field`. */
export type FieldChange = {
  readonly path: string
  readonly from?: string
  readonly to?: string
  /** What nobody may overlook: what runs, its power over the host, or data that it would find no more. */
  readonly touches?: 'image' | 'host' | 'data'
}

/** What happens to one instance, for the text form: one line each. */
export type InstanceLine = {
  readonly sign: '+' | '-/+' | '~' | '-'
  /** `web.1` */
  readonly name: string
  readonly reason: string
}

/** Everything that will happen to one service on one site. */
export type Change = {
  readonly site: string
  readonly application: string
  readonly service: string
  readonly action: Action
  /** Why it is needed. `unneeded`: nothing differs, and what is removed no service needs, not even a rollback. */
  readonly cause: Cause | 'unneeded'
  readonly reason: string
  readonly instances: number
  readonly lines: readonly InstanceLine[]
  readonly fields: readonly FieldChange[]
  /**
   * Fingerprints of instances that are made and of which no field was compared: there was nothing before, or nobody knows
   * what. They are shown whole.
   */
  readonly whole?: readonly string[]
  readonly strategy: 'rolling' | 'recreate' | 'none'
  /** Why this strategy. */
  readonly strategyReason: string
  readonly downtime: boolean
  /** The fingerprints this service is to have, as one value; `absent` for a removal. */
  readonly target: string
  /** What that is released as, hooks and limits included: what approvals are bound to (D4, D18). */
  readonly release: string
  /** The same of its whole application: what quarantine is bound to. */
  readonly applicationRelease?: string
  /** Stops nothing that runs, but for names that are put right; done for all changes before the first stage of any (G1). */
  readonly prepare: readonly Step[]
  /** What runs once in this rollout, in order: `pre hook (Retry): migrate up`, `deploy`. */
  readonly jobs: readonly string[]
  /** What this rollout deploys, now or before it was interrupted, each by the content of its image (P6). */
  readonly deploys?: readonly string[]
  /** Run in order, the steps of one stage side by side, until what is wanted runs and is healthy. */
  readonly stages: readonly (readonly Step[])[]
  /** How long all of it may take; a phase that must not be cut off aside (H25, X12). */
  readonly deadlineMs?: number
  /** The first stage from which on nothing is put back, if there is one (H29). */
  readonly noReturnAt?: number
  /** Done after the stages; what fails here undoes nothing (H30). */
  readonly finish: readonly (readonly Step[])[]
  /** Puts back what was before; every step may be done whatever the stages reached (G5). */
  readonly undo: readonly (readonly Step[])[]
  readonly after: readonly After[]
  /** It ends what an attempt of ours left halfway, on the way back to what was there before (D18). */
  readonly isWayBack?: true
  /** What runs of its application was made by a specification that is gone: it is confirmed like a removal (D16). */
  readonly isSpecificationGone?: true
  /** It differs, but nothing will be done about it now. */
  readonly held?: Held
}

/** Another change of the plan, by key, that must have succeeded, or only ended, first. */
export type After = { readonly key: string; readonly must: 'succeed' | 'end' }

/** Why a change is not carried out, and since when if that is known (G13). */
export type Held = {
  readonly code: ErrorCode
  readonly reason: string
  readonly sinceMs?: number
  /** What ran before is not put back either (H29). */
  readonly isFinal?: true
  /** It failed for a reason that may go away, and is tried again by itself. */
  readonly isLater?: true
}

/** `site/application/service`: one change per key in a plan. */
export function keyOf(change: {
  readonly site: string
  readonly application: string
  readonly service: string
}): string {
  return `${change.site}/${change.application}/${change.service}`
}

/** What such a key names; the name of a site may hold slashes. */
export function placeOf(key: string): {
  readonly site: string
  readonly application: string
  readonly service: string
} {
  const [service = '', application = '', ...site] = key.split('/').reverse()
  return { site: site.reverse().join('/'), application, service }
}

/** What a change is about, as people call it: the site only where it is not the usual one. */
export function titleOf({
  site,
  application,
  service,
}: Pick<Change, 'site' | 'application' | 'service'>): string {
  const name =
    service === application || service.startsWith('network ') ? service : `${application}/${service}`
  return site === 'local' ? name : `${name} on ${site}`
}

/** Whether it only finishes an undo that was interrupted: what it brings about is not what is wanted (G5). */
export function isPutBack({ target }: Pick<Change, 'target'>): boolean {
  return target.startsWith(beforeTarget(''))
}

/** The target of such a change: what ran before the target that failed. */
export function beforeTarget(failed: string): string {
  return `before ${failed}`
}

export type Plan = {
  /** Hash of environment and changes, canonical: same states, same id. The commit is no part of it (D4). */
  readonly id: string
  readonly environment: string
  readonly revision: Revision
  readonly changes: readonly Change[]
  /** Applications that cannot be planned; nothing of theirs is touched (D15). */
  readonly blocked: readonly Blocked[]
  /** Sites that did not answer: what runs there is not known (G17). */
  readonly unseen: readonly string[]
  readonly warnings: readonly Problem[]
}
