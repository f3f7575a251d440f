import type { Journal } from '../journal/journal.ts'
import type { Loop } from '../reconcile/loop.ts'
import type { World } from '../reconcile/world.ts'

/** One environment that runs, as the control plane sees it. */
export type Controlled = { readonly world: World; readonly loop: Loop }

export type ControlOptions = {
  readonly file: string
  readonly running: readonly Controlled[]
  readonly journal: Journal
  readonly nowMs: () => number
}
