import { posix } from 'node:path'
import type { Site } from '../../config/site/sites.ts'
import { openEngines } from '../../daemon.ts'
import { Failure, toFailure } from '../../errors.ts'
import { optional } from '../../object.ts'
import { createPools } from '../../reconcile/concurrency/pools.ts'
import { identityOf, sameEngine } from '../../reconcile/site/identity/twin.ts'
import {
  type SiteDocument,
  type SiteSight,
  siteDocument,
  withWrong,
} from '../../reconcile/status/site/site-document.ts'
import { asDirectory, isMeant } from '../../state/identity.ts'
import { unknownName } from '../../text/suggestion/unknown-name.ts'
import { askEngine } from '../ask-engine.ts'
import { createClient } from '../client/client.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { configOfSites, controlSocketOf, localConfig } from '../options/state-dir.ts'
import { type Output, sayOrigin } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'
import { siteLines } from '../text/site-text.ts'

/**
 * Prints all sites, or those that run an environment, as the daemon knows them. Without a daemon it asks each engine
 * itself. Returns the exit code. Fails with `wrong-usage`.
 */
export async function sites(output: Output, flags: CommonFlags): Promise<number> {
  const all = await known(flags).catch((error: unknown) => {
    if (flags.server !== undefined || !(error instanceof Failure) || error.code !== 'daemon-unreachable')
      throw error
    return asked(flags)
  })
  const documents = ofEnvironments(flags, all)
  if (flags.server === undefined) sayOrigin(output, localConfig(flags).origin)
  if (output.json) output.document(documents)
  else output.text(siteLines(documents))
  return documents.some(({ problems }) => problems !== undefined) ? exitCode.failed : exitCode.done
}

async function known(flags: CommonFlags): Promise<readonly SiteDocument[]> {
  return (await createClient(controlSocketOf(flags)).get('/api/v1/sites')) as readonly SiteDocument[]
}

/** Returns the sites that run one of the environments that the flags name, or all. One that lists none may run any. */
function ofEnvironments(
  { environment: named }: CommonFlags,
  all: readonly SiteDocument[],
): readonly SiteDocument[] {
  if (named === undefined) return all
  const runs = ({ environments }: SiteDocument, written: string) =>
    environments?.some(one => isMeant({ name: posix.basename(one), directory: asDirectory(one) }, written)) ??
    true
  for (const written of named)
    if (!all.some(site => runs(site, written)))
      throw unknownName(
        'environment',
        written,
        all.flatMap(({ environments = [] }) => environments),
      )
  return all.filter(site => named.some(written => runs(site, written)))
}

async function asked(flags: CommonFlags): Promise<readonly SiteDocument[]> {
  const config = configOfSites(flags)
  const { look } = createPools()
  const { signal, release } = stopSignal()
  const engines = openEngines(config)
  const seen = new Map(
    await Promise.all(
      engines.map(async engine => [engine.site, await look(engine.site, () => ask(engine, signal))] as const),
    ),
  )
  const sights = withTwins(config.sites, seen)
  release()
  for (const engine of engines) engine.close()
  return withWrong(
    config.sites.map(site =>
      siteDocument({
        site,
        sight: sights.get(site.name),
        configuration: config.origin.file,
        env: process.env,
      }),
    ),
    config,
  )
}

type Seen = SiteSight & {
  /** Which engine it is; absent: it did not answer. */
  readonly identity?: string
}

/** Says of each site that is the engine of one before it, in an environment that both may have, that it is not served. */
function withTwins(sites: readonly Site[], seen: ReadonlyMap<string, Seen>): ReadonlyMap<string, SiteSight> {
  const before: Site[] = []
  const told = new Map<string, SiteSight>()
  for (const site of sites) {
    const { identity, ...sight } = seen.get(site.name) ?? {}
    const isTwin = (other: Site) => seen.get(other.name)?.identity === identity && meet(site, other)
    const twin = identity === undefined ? undefined : before.find(isTwin)
    if (twin === undefined) before.push(site)
    const refused = twin && errorOf(sameEngine(twin.name, site.name, identity ?? ''))
    told.set(site.name, { ...sight, ...optional('refused', refused) })
  }
  return told
}

/** Whether there may be an environment that both sites run. */
function meet({ environments: own }: Site, { environments: others }: Site): boolean {
  return own === undefined || others === undefined || own.some(one => others.includes(one))
}

async function ask(engine: ReturnType<typeof openEngines>[number], signal: AbortSignal): Promise<Seen> {
  try {
    const name = await askEngine(engine.site, limited => engine.info(limited), signal)
    const { version } = name
    return {
      identity: identityOf(name),
      engine: version,
      managesSwarm: engine.managesSwarm?.(),
      managers: engine.managers?.(),
    }
  } catch (error) {
    return { managers: engine.managers?.(), silent: { error: errorOf(toFailure(error)) } }
  }
}

function errorOf({ code, message, hint }: Failure): NonNullable<SiteDocument['error']> {
  return { code, message, hint }
}
