import { awaitedTurn } from './awaited-turn.ts'
import type { DeploymentTurn } from './turns.ts'

/** What one deployment means for a site, as a text that is equal if it means the same. */
export type SiteEffect = {
  readonly text: string
  /** Present if a version waits for its turn: what that means if it waits there quietly. */
  readonly waiting?: { readonly application: string; readonly version: string; readonly text: string }
  /**
   * Since when it has to be found healthy again: a person said to go on after a failure, or the healthy time is over
   * (A33).
   */
  readonly recheckMs?: number
  /** Since when a change has waited that a pause held back, and that goes on now (A11). */
  readonly releasedMs?: number
}

/**
 * Returns what deployments mean for each site. The few things that each of them may mean are put into words once, and not
 * for each of a thousand sites. Sites for which all mean the same mostly share the list.
 */
export function effectsOf(
  turns: readonly DeploymentTurn[],
  heldBackMs: HeldBack,
): (site: string) => readonly SiteEffect[] {
  const ofEach = turns.map(turn => effectOf(turn, heldBackMs))
  const onSite = (site: string) => ofEach.map(of => of(site))
  let before: readonly SiteEffect[] = []
  return site => {
    // Nothing is made for a site that means what the one before means: there may be thousands of them.
    let same = 0
    while (same < ofEach.length && ofEach[same]?.(site) === before[same]) same += 1
    if (same < ofEach.length) before = onSite(site)
    return before
  }
}

/** Returns since when a pause holds back on a site what brings no new version; undefined: it holds back nothing. */
type HeldBack = (application: string, site: string) => number | undefined

function effectOf(turn: DeploymentTurn, heldBackMs: HeldBack): (site: string) => SiteEffect {
  const { deployment, sites, joined, refused, run } = turn
  const { application } = deployment
  const words = (...more: readonly unknown[]) => JSON.stringify([application, deployment.name, ...more])
  const refusal = refused && { text: words('refused', refused) }
  const elsewhere = { text: words('elsewhere') }
  const later = { text: words('joined') }
  const here = { text: words('here') }
  const wait = run?.stand.wait
  const lookedFor = new Set(wait?.for === 'look' ? wait.sites : [])
  const recheckMs = wait !== undefined && 'sinceMs' in wait ? (wait.sinceMs ?? 0) : 0
  const recheck = { ...here, recheckMs }
  const awaited = run && awaitedTurn(deployment, run)
  const waits: SiteEffect | undefined = awaited && {
    text: words('waits', awaited),
    waiting: { application, version: awaited.version, text: words('waits', awaited.version) },
  }
  return site => {
    if (refusal !== undefined) return refusal
    if (!sites.has(site)) return joined?.has(site) ? later : elsewhere
    if (run?.stand.recheck.get(site) === 'failure' || lookedFor.has(site)) return recheck
    if (waits !== undefined && !run?.stand.open.has(site)) return waits
    const heldMs = wait?.for === 'resume' ? undefined : heldBackMs(application, site)
    return heldMs === undefined ? here : { ...here, releasedMs: heldMs }
  }
}

/**
 * Whether deployments mean the same for a site at two times. Why a version waits counts, unless it does so quietly. That
 * a site has to be found healthy again counts, and not that it was.
 */
export function isSameEffect(
  before: readonly SiteEffect[],
  now: readonly SiteEffect[],
  isQuiet: (application: string, version: string) => boolean,
): boolean {
  return before.length === now.length && now.every((one, index) => isSame(before[index], one, isQuiet))
}

/** Returns effects of which a site did not hear why its versions wait: nobody knows what it heard of that last. */
export function withoutWhy(effects: readonly SiteEffect[]): readonly SiteEffect[] {
  return effects.map(one => (one.waiting === undefined ? one : { ...one, text: '' }))
}

function isSame(
  before: SiteEffect | undefined,
  now: SiteEffect,
  isQuiet: Parameters<typeof isSameEffect>[2],
): boolean {
  if (before?.text === now.text)
    return (
      (now.recheckMs === undefined || before.recheckMs === now.recheckMs) &&
      (now.releasedMs === undefined || before.releasedMs === now.releasedMs)
    )
  const { waiting } = now
  return (
    waiting !== undefined &&
    before?.waiting?.text === waiting.text &&
    isQuiet(waiting.application, waiting.version)
  )
}
