import { reachOf } from '../config/reach.ts'
import { swarmOptionsOf } from '../config/site/swarm-options.ts'
import type { Config } from '../config.ts'
import { optional } from '../object.ts'
import type { KnownSites } from '../resolve/sites/directories.ts'
import type { ResolveContext } from '../resolve.ts'
import { anySecrets } from '../spec/any-secrets.ts'
import { type EnvironmentPlace, isMeant } from '../state/identity.ts'
import type { SiteKinds } from '../validate/on-sites.ts'
import type { SharedEngine } from '../validate/shared-engines.ts'

/**
 * Returns how a repository is understood without asking a site or anybody who has secrets.
 * @param source the name of the repository
 */
export function contextOf(config: Config, source: string): ResolveContext {
  const { registry, policy, healthyMs, sandbox, strict, ingress, metadata, origin } = config
  return {
    source,
    policy,
    healthyMs,
    sandboxImage: sandbox.image,
    strict,
    // Which secrets exist is known only where the application runs.
    secrets: anySecrets,
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined ? {} : { ingress: knownReach(reachOf(ingress, config), origin) }),
    ...(metadata === undefined ? {} : { metadata }),
    // Without a configuration, nobody knows which sites there are.
    ...(origin.file === undefined ? {} : { sites: place => knownSites(config, place) }),
  }
}

/** Without a configuration, nobody knows where certificates come from. */
function knownReach(
  { certificates, ...reach }: ReturnType<typeof reachOf>,
  { file }: Config['origin'],
): NonNullable<ResolveContext['ingress']> {
  return file === undefined ? reach : { ...reach, certificates }
}

/** Returns what the sites of an environment are. */
export function kindsOf({ sites, ingress }: Config, place: EnvironmentPlace): SiteKinds {
  const here = sites.filter(site => runsOn(site, place))
  return new Map(here.map(site => [site.name, swarmOptionsOf(site, ingress) ?? 'host']))
}

/** Returns the Swarms of an environment with each host of it that has the endpoint of one of their managers. */
export function sharedEnginesOf(config: Config, place: EnvironmentPlace): readonly SharedEngine[] {
  const { sites, ingress } = config
  const here = sites.filter(site => runsOn(site, place))
  const hosts = here.filter(({ kind }) => kind !== 'swarm')
  const listeners =
    ingress === undefined
      ? undefined
      : reachOf(ingress, config).listeners?.({ ...place, environment: place.name })
  return here.flatMap(site => {
    const options = swarmOptionsOf(site, ingress)
    if (options === undefined) return []
    const ends = [site.endpoint, ...(site.managers ?? [])]
    return hosts
      .filter(({ endpoint }) => ends.includes(endpoint))
      .map(host => ({
        swarm: { name: site.name, labels: site.labels, options },
        host,
        ...optional('listeners', listeners),
      }))
  })
}

function runsOn({ environments }: Config['sites'][number], place: EnvironmentPlace): boolean {
  return environments?.some(written => isMeant(place, written)) ?? true
}

function knownSites({ sites }: Config, place: EnvironmentPlace): KnownSites {
  const { here = [], elsewhere = [] } = Object.groupBy(sites, site =>
    runsOn(site, place) ? 'here' : 'elsewhere',
  )
  return {
    here: new Map(here.map(({ name, labels }) => [name, labels])),
    elsewhere: new Set(elsewhere.map(({ name }) => name)),
    swarms: new Set(here.filter(({ kind }) => kind === 'swarm').map(({ name }) => name)),
    areAllRead: true,
  }
}
