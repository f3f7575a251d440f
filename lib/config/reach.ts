import type { Config } from '../config.ts'
import type { Listeners, Neighbour } from '../state/listeners.ts'
import type { IngressConfig } from './ingress-config.ts'
import { listenersOf } from './listeners.ts'
import { type Placing, sharedSite } from './shared-site.ts'

type Known = Pick<Config, 'environments'> & { readonly sites: readonly Placing[] }

/** Returns what specifications are read with. The ports of the operator's own Caddy are unknown. */
export function reachOf(
  ingress: IngressConfig,
  known: Known,
  runs: (environment: string) => boolean = () => false,
): {
  readonly pool: string
  readonly holdMs: number
  readonly listeners?: (environment: string) => Listeners
  readonly neighbours?: (environment: string) => readonly Neighbour[]
} {
  return {
    pool: ingress.subnets,
    holdMs: ingress.holdMs,
    ...(ingress.isExternal
      ? {}
      : {
          listeners: environment => listenersOf(ingress, environment),
          neighbours: environment => neighboursOf(ingress, known, environment, runs),
        }),
  }
}

/**
 * Returns the ingresses of other environments whose ports are reserved: those with ports of their own, and those that
 * run.
 */
export function neighboursOf(
  ingress: IngressConfig,
  { environments, sites }: Known,
  environment: string,
  runs: (environment: string) => boolean,
): readonly Neighbour[] {
  if (ingress.isExternal) return []
  const told = Object.keys(ingress.environments)
  return [...new Set([...environments, ...told])]
    .filter(other => other !== environment && sharedSite(sites, environment, other) !== undefined)
    .filter(other => told.includes(other) || runs(other))
    .map(other => ({ environment: other, listeners: listenersOf(ingress, other) }))
}
