import { onceFor } from '../../../memo/once-for.ts'
import type { KnownSites } from '../../../resolve/sites/directories.ts'
import { hashOf } from '../../../state/canonical.ts'
import { placedApart, placementsBefore, stillPlaced } from '../../fleet/still-placed.ts'
import { sitesNow } from '../../site/site.ts'
import type { World } from '../../world.ts'

type Known = Pick<World, 'engines' | 'config' | 'journal'>

/** Returns the sites of the operator, as the environment of this name sees them. */
export function sitesKnownTo(world: Known, environment: string): KnownSites {
  const { engines, config, journal } = world
  const sites = sitesNow(world)
  const here = new Map(sites.map(({ name, labels }) => [name, labels]))
  const elsewhere = new Set(config.sites.flatMap(({ name }) => (here.has(name) ? [] : [name])))
  const swarms = new Set(engines.flatMap(({ site, swarm }) => (swarm === undefined ? [] : [site])))
  return {
    ...{ here, elsewhere, swarms },
    kept(written) {
      const placementFor = placementsBefore(journal.placements(environment), written)
      return deployment => {
        const before = placementFor(deployment)
        return before === undefined ? [] : stillPlaced(deployment, before, sites)
      }
    },
  }
}

/**
 * Returns a text that changes with the sites that applications are to be on, as far as no commit says so: with the sites
 * and their labels, and with what deployments mean besides, because they were evaluated before.
 */
export function markOfSites(world: Known, environment: string): string {
  const { config, journal } = world
  const sites = sitesNow(world)
  const apart = [...journal.placements(environment).values()].flatMap(before => {
    const kept = placedApart(before)(sites)
    const { name, application, revision, version } = before.deployment
    return kept.length === 0 ? [] : [[name, application, revision, version, kept]]
  })
  return JSON.stringify([markOfConfigured(config.sites), apart])
}

/** It is asked for at every look, and the same as long as the configuration is. */
const markOfConfigured = onceFor((sites: World['config']['sites']) =>
  hashOf(
    sites.map(({ name, kind = 'host', environments = null, labels }) => [name, kind, environments, labels]),
  ),
)
