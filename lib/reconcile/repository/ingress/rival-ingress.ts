import { posix } from 'node:path'
import { listenersOf, meetingPort } from '../../../config/listeners.ts'
import type { IngressSites } from '../../../config/reach.ts'
import { type Placing, sharedSites } from '../../../config/site/shared-site.ts'
import { isSpelled, spellingsAs, spellingsOf } from '../../../config/spellings.ts'
import type { Config } from '../../../config.ts'
import type { Problem } from '../../../errors.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { RivalIngress } from '../../../resolve/with-ingress.ts'
import { type CalledEnvironment, isMeant } from '../../../state/identity.ts'

type Known = {
  readonly config: Pick<Config, 'environments' | 'ingress'> & { readonly sites: readonly Placing[] }
  readonly journal: Pick<Journal, 'routedSites' | 'environments'>
}

/**
 * Returns where an environment cannot have an ingress on its ports, and why: the ingresses of other environments listen
 * there, on sites of both. On each site, a running ingress keeps its ports. If both run, the one that the configuration
 * names first keeps them.
 */
export function rivalsOf(known: Known, environment: CalledEnvironment): readonly RivalIngress[] {
  const { ingress, sites, environments } = known.config
  if (ingress === undefined || ingress.isExternal) return []
  const own = spellingsOf(environment)
  const runningOn = ingressesIn(known)
  const all = sites.map(({ name }) => name)
  const runs = new Set(known.journal.routedSites(environment.environment, all))
  let isAfter = false
  const rivals: RivalIngress[] = []
  for (const written of new Set([...environments, ...Object.keys(ingress.environments)])) {
    if (isSpelled(own, written)) {
      isAfter = true
      continue
    }
    const other = spellingsAs(written)
    const port = meetingPort(listenersOf(ingress, own), listenersOf(ingress, other))
    if (port === undefined) continue
    const running = runningOn(written, environment, sharedSites(sites, own, other))
    const taken = isAfter ? running.filter(site => !runs.has(site)) : running
    const problem = takenPort(shownName(known, environment), written, port)
    if (taken.length > 0) rivals.push({ sites: taken, problem })
  }
  return rivals
}

/**
 * Returns where ingresses run, according to the routes that were loaded for them. The configuration names an environment
 * by its directory or by its name in the repository, and the journal by its name on engines.
 */
export function ingressesIn(known: Known): IngressSites {
  const all = known.journal.environments()
  return (written, than, sites) => {
    const meant = all.filter(
      ({ environment, directory }) =>
        environment === written || isMeant({ name: posix.basename(directory), directory }, written),
    )
    const names = meant.length === 0 ? [written] : meant.map(({ environment }) => environment)
    const others = names.filter(name => name !== than.environment)
    const running = new Set(others.flatMap(name => known.journal.routedSites(name, sites)))
    return sites.filter(site => running.has(site))
  }
}

/** Returns how the configuration names an environment. */
function shownName({ config }: Known, environment: CalledEnvironment): string {
  return config.environments.find(written => isSpelled(spellingsOf(environment), written)) ?? environment.name
}

function takenPort(environment: string, other: string, port: number): Problem {
  return {
    code: 'port-claimed',
    message: `the ingress of ${environment} claims host port ${port}, which the ingress of ${other} has`,
    hint: `Give one of them other ports or addresses with "ingress: {environments: {${environment}: {http: {port: 8080}, https: {port: 8443}}}}" in tallyman.yaml.`,
  }
}
