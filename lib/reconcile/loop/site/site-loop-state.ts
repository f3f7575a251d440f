import type { ChangeResult } from '../../../apply/apply.ts'
import type { Wanted } from '../../repository/desired.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import type { Trigger } from '../trigger.ts'
import type { UnderWay } from '../under-way.ts'

/** What is known of the passes over one site. */
export type SiteLoopState = {
  readonly running?: UnderWay
  readonly last?: PassResult
  readonly lastEndedMs?: number
  /** Present if the last pass changed something, and the pass that looks at it has not ended. */
  readonly isUnverified?: true
  /** When the loop makes the next pass by itself; undefined: when it is asked to. */
  readonly nextMs?: number
  /** The newest look at the repository whose outcome a pass of this site has dealt with. */
  readonly look: number
  /** The newest one that was judged while something is being changed there; absent: none was, or nothing is. */
  readonly judged?: number
}

/** What the repository wants, and the number of the look that found it. */
export type Offer = { readonly wanted: Wanted; readonly look: number }

/** What the loops of an environment work with. */
export type LoopOptions = {
  /** Undefined: something else says when to look at the repository. */
  readonly pollMs: number | undefined
  readonly signal: AbortSignal
  readonly random: () => number
  /** Told of the end of each pass. */
  readonly onResult: (result: PassResult, trigger: Trigger) => void
  /** Told when a pass, by its number, ends with one of its changes, what came of it, and when; absent: nobody is. */
  readonly onDone?: (done: ChangeResult, passId: number | undefined, atMs: number) => void
  /** Told of each pass beside another one that changed something; absent: nobody is. */
  readonly onBeside?: (result: PassResult) => void
  /** Told each time that it was judged what is wanted while something is being changed; absent: nobody is. */
  readonly onKnown?: () => void
}
