import type { Application } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { LiveState } from '../../state/running/live.ts'
import { type Difference, diff } from '../compare/diff.ts'
import type { Orphan } from '../compare/orphaned.ts'
import { type Attempt, isPastReturn, type Past } from '../compare/past.ts'
import { countIn } from '../compare/target/target.ts'
import type { Held } from '../hold/held.ts'
import { type AsIs, type AsIsContext, asIs } from './as-is.ts'
import { type Change, keyOf, type ServicePlace } from './change.ts'

/**
 * What is due for a service that cannot get what is wanted now: it keeps what it had before. What serves is repaired,
 * and what an attempt left half-done is undone (D18).
 */
export type Keep = {
  /** The service compared with what it had before. */
  readonly difference: Difference
  /** The target of an attempt that is neither done nor undone; absent: there is only drift. */
  readonly attempted?: string
  /** The attempt did not fail: it was interrupted, and is not completed. */
  readonly isInterrupted?: true
  /** Set if nobody knows any more what the service was made from. */
  readonly asIs?: AsIs
}

/** One site, and what its services had before. */
export type KeepInput = {
  readonly desired: DesiredState
  readonly live: LiveState
  readonly past: Past
  /** The services that cannot get what is wanted now, as `site/application/service`. */
  readonly stuck: ReadonlySet<string>
  /** Applications as they were last applied on this site, reduced to those services. */
  readonly before: readonly Application[]
} & Pick<AsIsContext, 'strategy' | 'loaded'>

/**
 * Whether a held change means that its service is kept as it was. This is not so if somebody ordered that nothing is
 * touched.
 */
export function isStuck({ cause, held }: Pick<Change, 'cause' | 'held'>): boolean {
  return (
    held !== undefined &&
    cause !== 'orphaned' &&
    held.isFinal !== true &&
    held.isLater !== true &&
    !untouched.includes(held.code)
  )
}

/**
 * Whether a removal only takes away what a first installation made that nobody wants any more: nothing was ever applied
 * there, and the attempt has not ended. That is undone as after a failure, which no rule about removals concerns (D18).
 */
export function isAbandoned(
  change: ServicePlace & Pick<Change, 'cause' | 'held'>,
  { applied, attempts }: Pick<Past, 'applied' | 'attempts'>,
): boolean {
  const key = keyOf(change)
  return (
    change.cause === 'orphaned' &&
    (change.held === undefined || ofRemovals.includes(change.held.code)) &&
    !applied.has(key) &&
    openAttempt(attempts?.get(key)) !== undefined
  )
}

/** What holds removals, and nothing else. */
const ofRemovals: readonly Held['code'][] = ['prune-never', 'empty-desired-state']

const untouched: readonly Held['code'][] = [
  'suspended',
  'drift-reported',
  'not-converging',
  'ingress-unreachable',
]

/** Returns what is due to keep services of one site as they were before; nothing for those that are. Pure. */
export function keepsOf({
  desired,
  live,
  past,
  stuck,
  before,
  strategy,
  loaded,
}: KeepInput): readonly Keep[] {
  const isMeant = (one: { readonly application: string; readonly service: string }) =>
    stuck.has(keyOf({ ...one, site: live.site }))
  const { environment } = desired
  const containers = live.containers.filter(isMeant)
  const state = { ...desired, applications: before, blocked: [] }
  // Jobs of an attempt say nothing about the state before, so all of them count as ended.
  const ended = { target: '', release: '', phase: 'ended' } as const
  const attempts = new Map([...stuck].map(key => [key, ended] as const))
  const { differences } = diff(state, { ...live, containers }, { ...past, attempts })
  return differences.flatMap(difference => {
    const key = keyOf(difference)
    const attempt = openAttempt(past.attempts?.get(key))
    if (isPastReturn(attempt, [...difference.begun, ...difference.leftOver])) return []
    const attempted = attempt === undefined ? {} : attemptedBy(attempt)
    const applied = past.applied.get(key)
    if (applied?.target === difference.target && difference.kind !== 'orphaned')
      return [{ difference, ...attempted }]
    if (applied !== undefined && attempt === undefined) {
      const surplus = [...difference.surplus, ...difference.matched.map(({ live }) => live)]
      const found = asIs({ ...difference, surplus }, applied.target, { environment, strategy, loaded })
      return found === undefined ? [] : [{ difference, asIs: found }]
    }
    const isFirst = applied === undefined && difference.kind === 'orphaned' && attempt !== undefined
    return isFirst ? firstAttempt(difference, attempt) : []
  })
}

function openAttempt(attempt: Attempt | undefined): Attempt | undefined {
  return attempt?.phase === 'ended' ? undefined : attempt
}

function attemptedBy({ target, phase }: Attempt): Pick<Keep, 'attempted' | 'isInterrupted'> {
  return { attempted: target, ...(phase === 'open' ? { isInterrupted: true } : {}) }
}

/** If nothing ran before, only what the attempt made is removed. */
function firstAttempt(difference: Orphan, attempt: Attempt): readonly Keep[] {
  const surplus = difference.surplus.filter(({ fingerprint }) => countIn(attempt.target, fingerprint) > 0)
  if (surplus.length + difference.leftOver.length === 0) return []
  return [{ difference: { ...difference, surplus }, ...attemptedBy(attempt) }]
}
