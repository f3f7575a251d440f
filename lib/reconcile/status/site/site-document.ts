import type { Site } from '../../../config/site/sites.ts'
import type { Config } from '../../../config.ts'
import type { SiteManager } from '../../../engine.ts'
import { formatProblem, hintOfProblem } from '../../../errors.ts'
import { optional } from '../../../object.ts'
import { maskCredentials } from '../../../text/redaction/mask.ts'
import { optionalTime } from '../../../text/time.ts'
import type { PassError } from '../error.ts'
import { type WindowsDocument, windowsDocument } from './site-windows.ts'

/**
 * One site as `sites` and `status` tell it in JSON. Times are in ISO 8601.
 * - `reachable`: the engine answered when it was asked last. With an `error`, nothing is done there, and it says why.
 * - `unreachable`: it did not. `error` says why, `since` since when, and `next` when it is asked again.
 * - `unknown`: nobody has asked it yet.
 * - `removed`: it was taken out of the configuration while the daemon ran. What runs there stays.
 * - `wrong`: its file was never right, so that nothing is known of it.
 */
export type SiteDocument = {
  readonly name: string
  readonly state: 'reachable' | 'unreachable' | 'unknown' | 'wrong' | 'removed'
  readonly since?: string
  readonly next?: string
  readonly error?: Pick<PassError, 'code' | 'message' | 'hint'>
  /** Why its file cannot be used. Whatever else is known of the site is what the file said before. */
  readonly problems?: readonly string[]
  /** The version of its engine. */
  readonly engine?: string
  /** Its engine manages a Swarm, and the configuration does not say what the site is. */
  readonly managesSwarm?: true
  /** The managers of its Swarm, the first of which is `endpoint`; absent: it is a host, or was not asked yet. */
  readonly managers?: readonly SiteManager[]
  /** The environments that run there; without a daemon those that the configuration lists. Absent: all. */
  readonly environments?: readonly string[]
  /** Without user name and password. Absent on a site whose file was never right. */
  readonly endpoint?: string
  readonly labels: Readonly<Record<string, string>>
  /** When applications may be upgraded there; absent: always. */
  readonly windows?: WindowsDocument
  /** The file that describes it. */
  readonly file?: string
}

/** What is known of the engine of a site. Times are in ms since 1970. */
export type SiteSight = {
  readonly engine?: string | undefined
  readonly managesSwarm?: boolean | undefined
  readonly managers?: readonly SiteManager[] | undefined
  /** Why nothing is done there, although it answers; absent: it is served. */
  readonly refused?: SiteDocument['error']
  /** Absent: it answered when it was asked last. */
  readonly silent?: {
    readonly error: SiteDocument['error']
    /** In ISO 8601. */
    readonly since?: string | undefined
    readonly nextMs?: number | undefined
  }
}

/** What a document of a site is made of. */
export type SiteSource = {
  readonly site: Site
  /** Undefined: it was not asked yet. */
  readonly sight: SiteSight | undefined
  readonly environments?: readonly string[] | undefined
  /** The file of the configuration. */
  readonly configuration?: string | undefined
  /** The environment variables, where the endpoint of a site that names none is. */
  readonly env: NodeJS.ProcessEnv
}

/** Returns what is told of a site. */
export function siteDocument({ site, sight, environments, configuration, env }: SiteSource): SiteDocument {
  const { name, labels, windows, endpoint = env['DOCKER_HOST'] || 'unix:///var/run/docker.sock' } = site
  const { engine, managesSwarm, managers, refused, silent } = sight ?? {}
  return {
    name,
    state: sight === undefined ? 'unknown' : silent === undefined ? 'reachable' : 'unreachable',
    ...optional('since', silent?.since),
    ...optionalTime('next', silent?.nextMs),
    ...optional('error', silent?.error ?? refused),
    ...optional('engine', engine),
    ...(managesSwarm === true ? { managesSwarm } : {}),
    ...optional('managers', managers?.map(managerOf)),
    ...optional('environments', environments ?? site.environments),
    endpoint: maskCredentials(endpoint),
    labels,
    ...optional('windows', windows && windowsDocument(windows)),
    ...optional('file', site.file ?? configuration),
  }
}

function managerOf({ endpoint, isAsked, why }: SiteManager): SiteManager {
  return { ...optional('endpoint', endpoint && maskCredentials(endpoint)), isAsked, ...optional('why', why) }
}

/** Returns what is told of a site that was taken out. */
export function removedSite(name: string): SiteDocument {
  return { name, state: 'removed', environments: [], labels: {} }
}

/** Returns why files of sites cannot be used, and what to do about that, by the names of the sites. */
export function unusableSites({
  wrongSites,
}: Pick<Config, 'wrongSites'>): ReadonlyMap<string, Pick<PassError, 'message' | 'hint'>> {
  const all = wrongSites.flatMap(({ name, problems }) =>
    name === undefined ? [] : problems.map(problem => ({ name, problem })),
  )
  return new Map(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, found]) => [
      name,
      {
        message: found.map(({ problem }) => formatProblem(problem)).join('; '),
        hint: [...new Set(found.map(({ problem }) => hintOfProblem(problem)))].join(' '),
      },
    ]),
  )
}

/** Returns the documents with what is wrong in files, sorted by name. */
export function withWrong(
  documents: readonly SiteDocument[],
  { wrongSites }: Pick<Config, 'wrongSites'>,
): readonly SiteDocument[] {
  const all = new Map(documents.map(one => [one.name, one]))
  for (const { name = '', problems } of wrongSites) {
    const known: SiteDocument = all.get(name) ?? { name, state: 'wrong', labels: {} }
    // Two files may have one name.
    const before = known.problems ?? []
    all.set(name, { ...known, problems: [...before, ...problems.map(formatProblem)] })
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
