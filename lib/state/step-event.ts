/** What happened to one step of a plan: what the journal keeps, and what a terminal shows (G25). */
export type StepEvent = {
  readonly atMs: number
  readonly site: string
  readonly application: string
  readonly service: string
  /** In the plan's own words: `create-container prod.web.1.ab12cd34`. */
  readonly step: string
  readonly stage: 'prepare' | 'change' | 'undo'
  readonly phase: 'started' | 'done' | 'failed' | 'skipped'
  readonly durationMs?: number
  readonly error?: { readonly code: string; readonly message: string }
}
