import type { PostMortem } from './post-mortem.ts'

/** What happened to one step of a plan: what the journal keeps, and what a terminal shows (G25). */
export type StepEvent = {
  readonly atMs: number
  readonly site: string
  readonly application: string
  readonly service: string
  /** In the plan's own words: `create-container prod.web.1.ab12cd34`. */
  readonly step: string
  readonly stage: 'prepare' | 'change' | 'undo'
  /**
   * - `noted`: something about it that does not end it, as a failed try of a hook (H7).
   * - `skipped`: it ended without doing what it is for, on purpose.
   */
  readonly phase: 'started' | 'noted' | 'done' | 'failed' | 'skipped'
  readonly durationMs?: number
  /** Of a `noted` one: what, in words; of a `skipped` one: why. */
  readonly note?: string
  /** Of a `noted` one: what is kept of a container that failed. */
  readonly postMortem?: PostMortem
  readonly error?: { readonly code: string; readonly message: string }
}
