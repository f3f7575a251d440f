import type { Route } from '../state/route.ts'
import { type CaddyRoute, subroute } from './caddy.ts'

/** What is answered under one host; without one, under every host that nobody names. */
export type Host = { readonly host: string | undefined; readonly routes: readonly Route[] }

/** The routes by their hosts: exact ones by name, then those with a star, the longest first, then those without. */
export function byHost(routes: readonly Route[]): readonly Host[] {
  const groups = [...Map.groupBy(routes, ({ host }) => host)].map(([host, routes]) => ({ host, routes }))
  return groups.sort(
    ({ host: one = '' }, { host: other = '' }) =>
      rank(one) - rank(other) ||
      (isWild(one) ? other.length - one.length : 0) ||
      (one < other ? -1 : Number(one > other)),
  )
}

function rank(host: string): number {
  if (host === '') return 2
  return isWild(host) ? 1 : 0
}

export function isWild(host: string): boolean {
  return host.startsWith('*.')
}

/** Whether it is one host and no other. */
export function isNamed<T extends { readonly host?: string | undefined }>(
  of: T,
): of is T & { readonly host: string } {
  return of.host !== undefined && !isWild(of.host)
}

/**
 * Caddy's routes for hosts in the order of `byHost`: a request gets those of its own host, or none. Caddy tries one
 * after the other, but looks a name up quickly in a long list: so many hosts are a tree, which is gone down in few steps.
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
/** From this many names on Caddy searches a list instead of going through it. */
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
