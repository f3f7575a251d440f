import { type Commits, createCommits } from './repository/commits.ts'
import { createDecryption, type Decryption } from './repository/decryption.ts'
import { createKnownNames, type KnownNames } from './repository/known-names.ts'
import { createSiteMemory, type SiteMemory } from './site/site-memory.ts'
import { createIngressReports, type IngressReports } from './status/ingress-reports.ts'

/** What a process remembers of one environment. Each part has one owner, which hands out values. */
export type Memory = {
  readonly names: KnownNames
  readonly commits: Commits
  readonly decryption: Decryption
  readonly ingresses: IngressReports
  readonly sites: SiteMemories
}

/** What is remembered of the sites of an environment, each by its name. */
export type SiteMemories = {
  of(site: string): SiteMemory
  /** How many there are of which something may be remembered. */
  count(): number
  /** The engine's own identity, once the site was asked for it. */
  engineOf(site: string): string | undefined
  /** Notes the identity of a site's engine. Returns the first site that is this engine. */
  recognize(site: string, engineId: string): string
}

/** Creates the memory of an environment that was not read yet. */
export function createMemory(): Memory {
  return {
    names: createKnownNames(),
    commits: createCommits(),
    decryption: createDecryption(),
    ingresses: createIngressReports(),
    sites: createSiteMemories(),
  }
}

function createSiteMemories(): SiteMemories {
  const memories = new Map<string, SiteMemory>()
  const engines = new Map<string, string>()
  const firstSites = new Map<string, string>()
  return {
    of(site) {
      const memory = memories.get(site) ?? createSiteMemory()
      memories.set(site, memory)
      return memory
    },
    count: () => memories.size,
    engineOf: site => engines.get(site),
    recognize(site, engineId) {
      engines.set(site, engineId)
      const first = firstSites.get(engineId) ?? site
      firstSites.set(engineId, first)
      return first
    },
  }
}
