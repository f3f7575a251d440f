import type { Change, Held, Plan } from '../plan/change.ts'
import type { StepEvent } from '../state/step-event.ts'
import type { Freshness } from './desired.ts'

/** What is asked of one pass. */
export type PassRequest = {
  /** Who or what says "look again": `poll`, `engine-event`, `file-change`, `command`, … */
  readonly trigger: string
  /** `plan`: look and say what would be done; nothing is recorded as a pass. */
  readonly until: 'plan' | 'apply'
  readonly freshness: Freshness
  /** An answer given beforehand to whatever waits. */
  readonly answer?: {
    readonly who: string
    readonly via: 'flag' | 'terminal' | 'control'
    readonly message?: string
  }
  /** What is quarantined is tried again. */
  readonly retry?: boolean
  /** What waits for a person has its services kept as they were before, meanwhile. */
  readonly keepsWaiting?: true
  /** Applications that are left alone until they are tried again, by `site/application`, and why. */
  readonly backingOff?: ReadonlyMap<string, Held>
  /** Apply only if the plan is this one. */
  readonly onlyPlan?: string
  readonly onEvent?: (event: StepEvent, plan: Plan) => void
  /** Called once, before the first step, with what is about to be done. */
  readonly onApply?: (changes: readonly Change[]) => void
}
