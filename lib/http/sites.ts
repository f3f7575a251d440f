import { optional } from '../object.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import { isNoWay } from '../reconcile/site/result/unreached.ts'
import type { PassError } from '../reconcile/status/error.ts'
import { keptOf } from '../reconcile/status/last-state.ts'
import {
  removedSite,
  type SiteDocument,
  type SiteSight,
  siteDocument,
  withWrong,
} from '../reconcile/status/site-document.ts'
import { isRefusal } from '../reconcile/status/status-of-refused.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { nameOf } from './environments.ts'

/** Returns all sites of the configuration, and what the loops know of their engines. */
export function siteDocuments({ running, removedSites }: ControlOptions): readonly SiteDocument[] {
  const [first] = running
  if (first === undefined) return []
  const { config } = first.world
  const sights = running.map(sightsOf)
  const configured = config.sites.map(site => {
    const here = sights.filter(({ engines }) => engines.has(site.name))
    const known = here.flatMap(({ of }) => of(site.name) ?? [])
    return siteDocument({
      site,
      // An engine that answers for one environment is reachable, whenever another one asks it next.
      sight: known.find(isRefused) ?? known.find(({ silent }) => silent === undefined) ?? known[0],
      environments: here.map(({ environment }) => environment),
      configuration: config.origin.file,
      env: first.world.env,
    })
  })
  const removed = (removedSites?.() ?? []).map(removedSite)
  return withWrong([...configured, ...removed], config)
}

/** Whether an environment does nothing there: another one may not run on the site that is served instead. */
function isRefused({ refused }: SiteSight): boolean {
  return refused !== undefined
}

/** What the loops of one environment know of the engines of its sites. */
function sightsOf(controlled: Controlled): {
  readonly environment: string
  readonly engines: ReadonlySet<string>
  of(site: string): SiteSight | undefined
} {
  const { world, loop } = controlled
  const [environment, states] = [nameOf(controlled), loop.sites()]
  const engines = new Map(world.engines.map(engine => [engine.site, engine]))
  return {
    environment,
    engines: new Set(engines.keys()),
    of(site) {
      const state = states.get(site)
      const isReached = state?.running?.reached !== undefined
      if (state === undefined || (state.last === undefined && !isReached))
        return sightOfLook(controlled, environment, site)
      const engine = engines.get(site)?.version()
      const managesSwarm = engines.get(site)?.managesSwarm?.()
      const managers = engines.get(site)?.managers?.()
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
 * Returns what is known of a site over which no pass was made yet: no site answered to the look at the repository.
 * Undefined if that look did not come to the sites.
 */
function sightOfLook({ world, loop }: Controlled, environment: string, site: string): SiteSight | undefined {
  const { last, nextMs } = loop.state()
  const isOnlySite = world.engines.length === 1
  const failure =
    last?.unreachable?.find(({ resource }) => resource === site) ??
    (isOnlySite ? last?.errors.find(({ code }) => isNoWay(code)) : undefined)
  if (failure === undefined) return undefined
  const { code, message, hint } = failure
  const kept = keptOf(world.journal, environment, '').state?.unreachable?.find(one => one.site === site)
  return {
    managers: world.engines.find(engine => engine.site === site)?.managers?.(),
    silent: { error: { code, message, hint }, since: kept?.since, nextMs },
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
