import type { KnownDeclarations } from '../registry/declarations.ts'
import { createDeployLocks, type DeployLocks } from './concurrency/deploy-locks.ts'
import { createFleetMemory, type FleetMemory } from './fleet/fleet-memory.ts'
import { type Commits, createCommits } from './repository/commit/commits.ts'
import { createKnownNames, type KnownNames } from './repository/identity/known-names.ts'
import { createKnownDeclarations } from './repository/known-declarations.ts'
import { createRegistryRotation, type RegistryRotation } from './repository/registry-routes.ts'
import { createDecryption, type Decryption } from './repository/secrets/decryption.ts'
import { createEngineIdentities, type EngineIdentities } from './site/identity/engine-identities.ts'
import { createSiteMemory, type SiteMemory } from './site/site-memory.ts'
import { createWhoseSites, type WhoseSites } from './site/writer/whose-sites.ts'
import { createIngressReports, type IngressReports } from './status/ingress/ingress-reports.ts'
import { createShownPlans, type ShownPlans } from './status/plan/shown-plans.ts'

/** What a process remembers of one environment. Each part has one owner, which hands out values. */
export type Memory = {
  readonly names: KnownNames
  readonly commits: Commits
  readonly decryption: Decryption
  readonly declarations: KnownDeclarations
  readonly registries: RegistryRotation
  readonly ingresses: IngressReports
  readonly engines: EngineIdentities
  readonly sites: SiteMemories
  readonly whose: WhoseSites
  readonly fleet: FleetMemory
  readonly deploys: DeployLocks
  readonly shown: ShownPlans
  /** Forgets a site, which is gone or has another engine now. */
  forget(site: string): void
}

/** What is remembered of the sites of an environment, each by its name. */
export type SiteMemories = {
  of(site: string): SiteMemory
  /** Whether a stay of a site still lasts: it was not forgotten since, nor has another site its name. */
  lasts(site: string, stay: symbol): boolean
  /** How many there are of which something may be remembered. */
  count(): number
  forget(site: string): void
}

/** Creates the memory of an environment that was not read yet. */
export function createMemory(): Memory {
  const [engines, sites, whose] = [createEngineIdentities(), createSiteMemories(), createWhoseSites()]
  const [deploys, fleet] = [createDeployLocks(), createFleetMemory()]
  return {
    names: createKnownNames(),
    commits: createCommits(),
    decryption: createDecryption(),
    declarations: createKnownDeclarations(),
    registries: createRegistryRotation(),
    ingresses: createIngressReports(),
    engines,
    sites,
    whose,
    fleet,
    deploys,
    shown: createShownPlans(),
    forget(site) {
      engines.forget(site)
      sites.forget(site)
      whose.forget(site)
      deploys.gone(site)
      fleet.forget(site)
    },
  }
}

function createSiteMemories(): SiteMemories {
  const memories = new Map<string, SiteMemory>()
  return {
    of(site) {
      const memory = memories.get(site) ?? createSiteMemory()
      memories.set(site, memory)
      return memory
    },
    lasts: (site, stay) => memories.get(site)?.stay === stay,
    count: () => memories.size,
    forget: site => void memories.delete(site),
  }
}
