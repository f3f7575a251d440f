import { reachOf } from '../config/reach.ts'
import { swarmOptionsOf } from '../config/site/swarm-options.ts'
import type { Config } from '../config.ts'
import type { KnownSites } from '../resolve/sites/directories.ts'
import type { ResolveContext } from '../resolve.ts'
import { anySecrets } from '../spec/any-secrets.ts'
import { type EnvironmentPlace, isMeant } from '../state/identity.ts'
import type { SiteKinds } from '../validate/on-sites.ts'

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
    ...(ingress === undefined ? {} : { ingress: reachOf(ingress, config) }),
    ...(metadata === undefined ? {} : { metadata }),
    // Without a configuration, nobody knows which sites there are.
    ...(origin.file === undefined ? {} : { sites: place => knownSites(config, place) }),
  }
}

/** Returns what the sites of an environment are. */
export function kindsOf({ sites, ingress }: Config, place: EnvironmentPlace): SiteKinds {
  const here = sites.filter(site => runsOn(site, place))
  return new Map(here.map(site => [site.name, swarmOptionsOf(site, ingress) ?? 'host']))
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
