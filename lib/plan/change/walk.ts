import type { FieldChange } from '../compare/field/field-change.ts'
import type { Rollout } from '../rollout/rollout.ts'

/** The versions by which an application gets to the one that it is to have. */
export type Walk = {
  /** What runs. */
  readonly from: string
  /** The next one, and those that come after it. */
  readonly by: readonly [string, ...string[]]
  /** What comes after this change, which is approved together with it (X18). */
  readonly later: readonly LaterRelease[]
}

/** What a later version brings to a service that it changes. */
export type LaterRelease = {
  readonly service: string
  readonly release: string
  readonly version: string
  /** What differs from what runs now, with secrets redacted. */
  readonly fields: readonly FieldChange[]
  /** What runs once in its rollout, in order. */
  readonly jobs: readonly string[]
  /** How it replaces the version before it; absent: that is not known yet. */
  readonly how?: Pick<Rollout, 'strategy' | 'strategyReason' | 'downtime'>
}

/** Whether other versions come after the one that a change brings, by the same approval (A65, X18). */
export function goesOn({ walk }: { readonly walk?: Walk }): boolean {
  return walk !== undefined && walk.by.length > 1
}

/** Returns `web: 2.0.4 -> 3.0, then 3.0.1`. */
export function walkText({
  application,
  walk: { from, by },
}: {
  readonly application: string
  readonly walk: Walk
}): string {
  return `${application}: ${from} -> ${by.join(', then ')}`
}
