import { isWild } from '../../state/application/ingress/covering.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import { compareText } from '../../text/order.ts'
import { type CaddyRoute, subroute } from './dialect.ts'

/** The routes of one host. Without `host`, the routes for every host that no route names. */
export type Host = { readonly host: string | undefined; readonly routes: readonly Route[] }

/**
 * Groups routes by their hosts. Exact names come first by name, then those with a star with the longest first, then
 * those without a host.
 */
export function byHost(routes: readonly Route[]): readonly Host[] {
  const groups = [...Map.groupBy(routes, ({ host }) => host)].map(([host, routes]) => ({ host, routes }))
  return groups.sort(
    ({ host: one = '' }, { host: other = '' }) =>
      rank(one) - rank(other) || (isWild(one) ? other.length - one.length : 0) || compareText(one, other),
  )
}

function rank(host: string): number {
  if (host === '') return 2
  return isWild(host) ? 1 : 0
}

/** Whether it names exactly one host. */
export function isNamed<T extends { readonly host?: string | undefined }>(
  of: T,
): of is T & { readonly host: string } {
  return of.host !== undefined && !isWild(of.host)
}

/**
 * Returns Caddy's routes for hosts in the order of `byHost`. A request uses those of its own host, or none. Caddy tries
 * routes one after the other, but looks a name up quickly in a long list. Many hosts therefore become a tree, in which
 * few steps suffice.
 */
export function dispatch(
  hosts: readonly Host[],
  routesOf: (host: Host) => readonly CaddyRoute[],
): readonly CaddyRoute[] {
  const entries = hosts.map(host => ({ host: host.host ?? '', routes: routesOf(host) }))
  const exact = entries.filter(({ host }) => rank(host) === 0)
  const others = entries.filter(({ host }) => rank(host) > 0)
  return [...tree(exact), ...others.map(leaf)].map(route => ({ group: 'host', ...route }))
}

type Entry = { readonly host: string; readonly routes: readonly CaddyRoute[] }

const branches = 10
/** From this many names on, Caddy searches a list by name instead of trying each. */
const searched = 101

function tree(entries: readonly Entry[]): readonly CaddyRoute[] {
  if (entries.length <= branches) return entries.map(leaf)
  const equal = Math.ceil(entries.length / branches)
  const size = entries.length > 2 * searched ? Math.max(equal, searched) : equal
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) => {
    const part = entries.slice(index * size, (index + 1) * size)
    return { match: [{ host: part.map(({ host }) => host) }], handle: [subroute(tree(part))] }
  })
}

function leaf({ host, routes }: Entry): CaddyRoute {
  const [only] = routes
  const isWhole = routes.length === 1 && only !== undefined && only.match === undefined
  return {
    ...(host === '' ? {} : { match: [{ host: [host] }] }),
    handle: isWhole ? only.handle : [subroute(routes)],
  }
}
