import { optional } from '../../object.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { greatest, least } from '../extremes.ts'
import { joinResults } from '../site/result/join-results.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import type { SiteLoopState } from './site/site-loop-state.ts'
import { underWayTogether } from './under-way.ts'

/** What the loops of an environment do, over all its sites. */
export type LoopState = Omit<SiteLoopState, 'look' | 'isUnverified'> & {
  /** The sites whose last pass changed something that no later pass has looked at. */
  readonly unverified: readonly string[]
  /** The sites that the passes that run have seen. */
  readonly reached: readonly string[]
  /** When those of several sites that were not reached are tried again. */
  readonly tries: readonly { readonly site: string; readonly nextMs: number }[]
}

/** What is known of the looks at the repository. */
export type RepositoryLooks = {
  readonly lookingSinceMs: number | undefined
  readonly nextMs: number | undefined
  readonly unread: { readonly result: PassResult; readonly endedMs: number } | undefined
}

/** The results of several sites, put together. */
export type Join = {
  /** Puts them together, once for as long as they are the same; undefined: there is none yet. */
  of(results: readonly PassResult[]): PassResult | undefined
  /** Keeps them no longer: a site has another one, and those of a thousand sites are long. */
  forget(): void
}

/** Creates what puts results together. It keeps what it returned last. */
export function createJoin(): Join {
  let before: { readonly results: readonly PassResult[]; readonly joined: PassResult | undefined } | undefined
  return {
    of(results) {
      const isSame =
        before?.results.length === results.length &&
        before.results.every((result, index) => result === results[index])
      if (before === undefined || !isSame)
        before = { results, joined: results.length === 0 ? undefined : joinResults(results) }
      return before.joined
    },
    forget() {
      before = undefined
    },
  }
}

/** Returns what an environment was compared with last; undefined: it was not yet, or is not known. */
export function desiredIn(
  sites: readonly SiteLoopState[],
  { unread }: Pick<RepositoryLooks, 'unread'>,
): DesiredState | undefined {
  const from = unread?.result ?? sites.find(({ last }) => last?.desired !== undefined)?.last
  return from?.desired
}

/** Returns what the loops of all sites do, together. */
export function joinLoops(sites: readonly SiteLoopState[], looks: RepositoryLooks, join: Join): LoopState {
  const last = looks.unread?.result ?? join.of(sites.flatMap(({ last }) => last ?? []))
  const endedMs = [looks.unread?.endedMs, ...sites.map(site => site.lastEndedMs)]
  const nextMs = [looks.nextMs, ...sites.map(site => site.nextMs)]
  return {
    ...optional(
      'running',
      underWayTogether(
        sites.flatMap(({ running }) => running ?? []),
        looks.lookingSinceMs,
      ),
    ),
    ...optional('last', last),
    ...optional('lastEndedMs', greatest(endedMs)),
    ...optional('nextMs', least(nextMs)),
    unverified: sites.flatMap(({ last, isUnverified }) => (isUnverified ? (last?.site ?? []) : [])),
    reached: sites.flatMap(({ running }) => running?.reached ?? []),
    tries: [...sites.flatMap(tryOf), ...triesOf(looks)],
  }
}

/** The sites that a look asked in vain are tried again by the next one. */
function triesOf({ unread, nextMs }: RepositoryLooks): LoopState['tries'] {
  if (nextMs === undefined) return []
  return (unread?.result.unreachable ?? []).flatMap(({ resource: site }) =>
    site === undefined ? [] : [{ site, nextMs }],
  )
}

function tryOf({ last, nextMs }: SiteLoopState): LoopState['tries'] {
  const site = last?.unreachable === undefined ? undefined : last.site
  return site === undefined || nextMs === undefined ? [] : [{ site, nextMs }]
}
