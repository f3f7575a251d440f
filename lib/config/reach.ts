import type { Config } from '../config.ts'
import type { CalledEnvironment } from '../state/identity.ts'
import type { Listeners, Neighbour } from '../state/listeners.ts'
import type { IngressConfig } from './ingress-config.ts'
import { listenersOf } from './listeners.ts'
import { type Placing, sharedSite } from './site/shared-site.ts'
import { isSpelled, spellingsAs, spellingsOf } from './spellings.ts'

/** Whether an environment that the configuration names so has an ingress that runs, and is another one than this. */
export type RunsIngress = (written: string, than: CalledEnvironment) => boolean

type Known = Pick<Config, 'environments'> & { readonly sites: readonly Placing[] }

/** Returns what specifications are read with. The ports of the operator's own Caddy are unknown. */
export function reachOf(
  ingress: IngressConfig,
  known: Known,
  runs: RunsIngress = () => false,
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
  environment: CalledEnvironment,
  runs: RunsIngress,
): readonly Neighbour[] {
  if (ingress.isExternal) return []
  const own = spellingsOf(environment)
  const told = Object.keys(ingress.environments)
  return [...new Set([...environments, ...told])]
    .filter(other => !isSpelled(own, other) && sharedSite(sites, own, spellingsAs(other)) !== undefined)
    .filter(other => told.includes(other) || runs(other, environment))
    .map(other => ({ environment: other, listeners: listenersOf(ingress, spellingsAs(other)) }))
}
