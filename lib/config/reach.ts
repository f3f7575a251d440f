import type { Config } from '../config.ts'
import type { CalledEnvironment } from '../state/identity.ts'
import type { Listeners, Neighbour } from '../state/listeners.ts'
import type { IngressConfig } from './ingress-config.ts'
import { listenersOf } from './listeners.ts'
import { type Placing, sharedSites } from './site/shared-site.ts'
import { isSpelled, spellingsAs, spellingsOf } from './spellings.ts'

/**
 * Returns on which of these sites the ingress runs of an environment that the configuration names so, and that is another
 * one than this.
 */
export type IngressSites = (
  written: string,
  than: CalledEnvironment,
  sites: readonly string[],
) => readonly string[]

type Known = Pick<Config, 'environments'> & { readonly sites: readonly Placing[] }

/** Returns what specifications are read with. The ports of the operator's own Caddy are unknown. */
export function reachOf(
  ingress: IngressConfig,
  known: Known,
  runningOn: IngressSites = () => [],
): {
  readonly pool: string
  readonly holdMs: number
  readonly certificates: { readonly hasOwn: boolean; readonly hasPrivateAuthority: boolean }
  readonly listeners?: (environment: CalledEnvironment) => Listeners
  readonly neighbours?: (environment: CalledEnvironment) => readonly Neighbour[]
} {
  return {
    pool: ingress.subnets,
    holdMs: ingress.holdMs,
    certificates: {
      hasOwn: ingress.certificates.length > 0,
      hasPrivateAuthority: ingress.acme.directory !== undefined,
    },
    ...(ingress.isExternal
      ? {}
      : {
          listeners: environment => listenersOf(ingress, spellingsOf(environment)),
          neighbours: environment => neighboursOf(ingress, known, environment, runningOn),
        }),
  }
}

/**
 * Returns the ingresses of other environments whose ports are reserved on the sites of both: those with ports of their
 * own, and those that run there.
 */
export function neighboursOf(
  ingress: IngressConfig,
  { environments, sites }: Known,
  environment: CalledEnvironment,
  runningOn: IngressSites,
): readonly Neighbour[] {
  if (ingress.isExternal) return []
  const own = spellingsOf(environment)
  const told = Object.keys(ingress.environments)
  return [...new Set([...environments, ...told])].flatMap((other): readonly Neighbour[] => {
    if (isSpelled(own, other)) return []
    const shared = sharedSites(sites, own, spellingsAs(other))
    const taken = told.includes(other) ? shared : runningOn(other, environment, shared)
    return taken.length === 0
      ? []
      : [{ environment: other, listeners: listenersOf(ingress, spellingsAs(other)), sites: taken }]
  })
}
