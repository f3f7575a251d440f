import { onceFor } from '../memo/once-for.ts'
import { optional } from '../object.ts'
import { inPieces } from '../reconcile/concurrency/in-pieces.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import { isNotReached } from '../reconcile/site/result/why-unreached.ts'
import { enginesBySite } from '../reconcile/site/site.ts'
import type { PassError } from '../reconcile/status/error.ts'
import { keptOf, unreachedIn } from '../reconcile/status/last-state.ts'
import {
  removedSite,
  type SiteDocument,
  type SiteSight,
  type SiteSource,
  siteDocument,
  withWrong,
} from '../reconcile/status/site/site-document.ts'
import { isRefusal } from '../reconcile/status/status-of-refused.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { nameOfControlled } from './environments.ts'

/**
 * Returns all sites of the configuration, and what the loops know of their engines. Each is told as it is when its turn
 * comes, those that come or go meanwhile as well.
 */
export async function siteDocuments({
  running,
  removedSites,
}: ControlOptions): Promise<readonly SiteDocument[]> {
  const [first] = running
  if (first === undefined) return []
  const { world } = first
  const sights = running.map(sightsOf)
  const documentOf = (site: SiteSource['site']): SiteDocument => {
    const here = sights.filter(({ isHere }) => isHere(site.name))
    const known = here.flatMap(({ of }) => of(site.name) ?? [])
    return siteDocument({
      site,
      // An engine that answers for one environment is reachable, whenever another one asks it next.
      sight: known.find(isRefused) ?? known.find(({ silent }) => silent === undefined) ?? known[0],
      environments: here.map(({ environment }) => environment),
      configuration: world.config.origin.file,
      env: world.env,
    })
  }
  const told = new Map(
    await inPieces(world.config.sites, site => [site, documentOf(site)] as const, world.pacing.tell),
  )
  const configured = world.config.sites.map(site => told.get(site) ?? documentOf(site))
  const removed = (removedSites?.() ?? []).map(removedSite)
  return withWrong([...configured, ...removed], world.config)
}

/** Whether an environment does nothing there: another one may not run on the site that is served instead. */
function isRefused({ refused }: SiteSight): boolean {
  return refused !== undefined
}

/** What the loops of one environment know of the engines of its sites, as they are when it is asked. */
function sightsOf(controlled: Controlled): {
  readonly environment: string
  isHere(site: string): boolean
  of(site: string): SiteSight | undefined
} {
  const { world, loop } = controlled
  const environment = nameOfControlled(controlled)
  const engineOf = (site: string) => enginesBySite(world.engines).get(site)
  const silenceOf = onceFor((look: PassResult) => silencesOfLook(world, environment, look))
  return {
    environment,
    isHere: site => engineOf(site) !== undefined,
    of(site) {
      const state = loop.site(site)
      const isReached = state?.running?.reached !== undefined
      if (state === undefined || (state.last === undefined && !isReached)) {
        const { unread, nextMs } = loop.looks()
        const silent = unread && silenceOf(unread.result)(site)
        return silent && { managers: engineOf(site)?.managers?.(), silent: { ...silent, nextMs } }
      }
      const engine = engineOf(site)?.version()
      const managesSwarm = engineOf(site)?.managesSwarm?.()
      const managers = engineOf(site)?.managers?.()
      const refusal = state.last?.errors.find(({ code }) => isRefusal(code))
      const refused = refusal && { code: refusal.code, message: refusal.message, hint: refusal.hint }
      const isSilent = refused === undefined && !isReached
      const failure = isSilent && state.last !== undefined ? silenceIn(state.last, site) : undefined
      if (failure === undefined) return { engine, managesSwarm, managers, ...optional('refused', refused) }
      const { code, message, hint } = failure
      const [kept] = keptOf(world.journal, environment, site).state?.unreachable ?? []
      return {
        engine,
        managesSwarm,
        managers,
        silent: { error: { code, message, hint }, since: kept?.since, nextMs: state.nextMs },
      }
    },
  }
}

/**
 * Returns why a site over which no pass was made yet did not answer to a look at the repository to which no site did, and
 * since when. Undefined if that look did not come to the site.
 */
function silencesOfLook(
  { journal, engines }: Controlled['world'],
  environment: string,
  { unreachable = [], errors }: PassResult,
): (site: string) => Pick<NonNullable<SiteSight['silent']>, 'error' | 'since'> | undefined {
  const failures = new Map(unreachable.map(error => [error.resource, error]))
  const noWay = engines.length === 1 ? errors.find(({ code }) => isNotReached(code)) : undefined
  const since = unreachedIn(keptOf(journal, environment, '').state)
  return site => {
    const failure = failures.get(site) ?? noWay
    if (failure === undefined) return undefined
    const { code, message, hint } = failure
    return { error: { code, message, hint }, since: since.get(site) }
  }
}

/** Returns why a pass did not see a site, whether that is an error of the pass or not; undefined if it did. */
function silenceIn({ unreachable = [], plan, errors }: PassResult, site: string): PassError | undefined {
  const isUnseen = plan?.unseen.includes(site) === true
  return unreachable[0] ?? (isUnseen ? errors.find(({ resource }) => resource === site) : undefined)
}

/** Returns those of the sites that an environment runs on. */
export function sitesOfEnvironment(
  all: readonly SiteDocument[],
  environment: string,
): readonly SiteDocument[] {
  return all.filter(({ environments }) => environments?.includes(environment) ?? true)
}
