import type { ChangeResult } from '../../apply/apply.ts'
import type { Failure } from '../../errors.ts'
import type { Change, Plan } from '../../plan/change/change.ts'
import type { Held } from '../../plan/hold/held.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import type { TasksOfService } from '../../state/pass/tasks-now.ts'
import type { Freshness } from '../repository/desired.ts'
import type { ApplicationStatus } from '../status/application/application-status.ts'
import type { Verdict } from './decision/needs-approval.ts'
import type { EarlyLook } from './early-look.ts'
import type { PassResult } from './result/pass-result.ts'
import type { SiteClaim } from './writer/site-claim.ts'

/** The request for one pass over a site. */
export type PassRequest = {
  /** What asked for the pass: `poll`, `engine-event`, `file-change`, `command`, … */
  readonly trigger: string
  /** `plan`: only plans, and records no pass. */
  readonly until: 'plan' | 'apply'
  /** An approval that was given beforehand for everything that waits. */
  readonly answer?: {
    readonly who: string
    readonly via: 'flag' | 'terminal' | 'control'
    readonly message?: string
  }
  /** Nothing is carried out, whatever may be: what waits is recorded, for a command that cannot ask. */
  readonly onlyAsks?: true
  /** Whether quarantined releases are tried again. */
  readonly retry?: boolean
  /** Another pass follows, which takes over if the writer of now is dead. Without one, this pass waits for that. */
  readonly isRepeated?: true
  /** Another process writes to sites of the environment: nothing is recorded of a site that is not known to be ours (D17). */
  readonly isObserver?: true
  /** The claim that was made for this pass just before it. */
  readonly claimed?: SiteClaim
  /** While changes wait for a person, their services are kept as they were before. */
  readonly keepsWaiting?: true
  /** Applications that are left alone until they are tried again, by `site/application`, and why. */
  readonly backingOff?: ReadonlyMap<string, Held>
  /**
   * Another pass runs over the site, and changes some applications: whether it changes this one. Only what was removed or
   * stopped of all others is repaired.
   */
  readonly beside?: Beside
  /** Returns a look at the site that was begun for this pass. */
  readonly early?: () => EarlyLook | undefined
  /** A plan is made as the next pass would make it: what somebody discarded does not wait again. */
  readonly isForNext?: true
  /** Applies only if the plan has this id. */
  readonly onlyPlan?: string
  /** Called once the site was seen: whatever kept earlier passes from it, it answers. */
  readonly onSeen?: () => void
  /** Called once it is known what is to be done: whatever follows is no look. */
  readonly onLooked?: () => void
  readonly onEvent?: (event: StepEvent, plan: Plan) => void
  /** Called with how the tasks of a service of a Swarm are while they are waited for, each time that this changes. */
  readonly onTasks?: (now: TasksOfService) => void
  /**
   * Called once before the first step on a site, with the changes that are about to be made there, and how the site
   * stands before that.
   */
  readonly onApply?: (changes: readonly Change[], begun: Begun) => void
  /** Called with a plan, what of it may be done, and what waits for a person. */
  readonly onJudged?: (plan: Plan, verdict: Verdict) => void
  /** Called for each of them when nothing more is done about it, with what came of it. */
  readonly onEnd?: (done: ChangeResult) => void
  /**
   * Called when all changes have ended. Returns, if the site was looked at meanwhile, whether an application was seen then
   * as it came out of its change: that says more than this pass. Of what was not changed at all, it does in any case.
   */
  readonly seenSince?: () => ((application: string) => boolean) | undefined
}

/** A pass that begins to change something. */
export type Begun = {
  /** Its number; undefined: it is not on record. */
  readonly passId: number | undefined
  /** Returns how the site stands before that. */
  readonly standing: () => PassResult
}

/** A pass beside another one. */
export type Beside = {
  /** Whether the other pass had something under way of an application when this one began. */
  readonly isBusy: (application: string) => boolean
  /** Called with how the applications of the site are, and what is not done about them is said, once it was looked at. */
  readonly onFound: (found: readonly ApplicationStatus[]) => void
}

/** The request for a look at the repository and one pass over each site. */
export type RoundRequest = PassRequest & {
  readonly freshness: Freshness
  /**
   * The ids of the plans that a person was shown, by site, where only what he was shown is carried out. A site whose plan
   * is another one by now is left alone. Unlike `onlyPlan`, the others are not.
   */
  readonly shown?: ReadonlyMap<string, string>
  /** The sites on which something is likely to be changed, because a plan that was made just before would. */
  readonly likelyOn?: ReadonlySet<string>
  /** The sites that a look just before did not reach, and why: nobody waits for them once more. */
  readonly unreached?: ReadonlyMap<string, Failure>
}
