import type { PostMortem } from './post-mortem.ts'

/** An event of one step of a plan, for the journal and the terminal (G25). */
export type StepEvent = {
  readonly atMs: number
  readonly site: string
  readonly application: string
  readonly service: string
  /** The step as the plan shows it: `create-container prod.web.1.ab12cd34`. */
  readonly step: string
  readonly stage: 'prepare' | 'change' | 'undo'
  /**
   * - `noted`: something that does not end the step, such as a failed try of a hook (H7), or that the next pass goes on
   *   with it (G12).
   * - `skipped`: the step ended on purpose without having done its work. A hook failed whose failure is ignored.
   */
  readonly phase: 'started' | 'noted' | 'done' | 'failed' | 'skipped'
  readonly durationMs?: number
  /** What was noted, in words, or why the step was skipped. */
  readonly note?: string
  /** Of a `noted` event: the record of a failed container. */
  readonly postMortem?: PostMortem
  readonly error?: { readonly code: string; readonly message: string }
}
