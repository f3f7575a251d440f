import type { Journal } from '../journal/journal.ts'
import type { Loop } from '../reconcile/loop/loop.ts'
import type { PassEnds } from '../reconcile/loop/pass-ends.ts'
import type { World } from '../reconcile/world.ts'

/** An environment of the daemon, which the control socket tells of, and hands what people say. */
export type Controlled = { readonly world: World; readonly loop: Loop; readonly ends: PassEnds }

export type ControlOptions = {
  readonly running: readonly Controlled[]
  readonly journal: Journal
  readonly nowMs: () => number
  /** The names of sites that were taken out of the configuration. Absent: none can be. */
  readonly removedSites?: () => readonly string[]
}
