import { posix } from 'node:path'
import { listenersOf, meetingPort } from '../../../config/listeners.ts'
import type { RunsIngress } from '../../../config/reach.ts'
import { type Placing, sharedSite } from '../../../config/site/shared-site.ts'
import { isSpelled, spellingsAs, spellingsOf } from '../../../config/spellings.ts'
import type { Config } from '../../../config.ts'
import type { Problem } from '../../../errors.ts'
import type { Journal } from '../../../journal/journal.ts'
import { type CalledEnvironment, isMeant } from '../../../state/identity.ts'

type Known = {
  readonly config: Pick<Config, 'environments' | 'ingress'> & { readonly sites: readonly Placing[] }
  readonly journal: Pick<Journal, 'hasRoutes' | 'environments'>
}

/**
 * Returns why an environment cannot have an ingress on its ports: the ingress of another environment listens there, on
 * a site of both. A running ingress keeps its ports. If both run, the one that the configuration names first keeps
 * them.
 */
export function rivalOf(known: Known, environment: CalledEnvironment): Problem | undefined {
  const { ingress, sites, environments } = known.config
  if (ingress === undefined || ingress.isExternal) return undefined
  const own = spellingsOf(environment)
  const runs = ingressesIn(known)
  for (const written of new Set([...environments, ...Object.keys(ingress.environments)])) {
    if (isSpelled(own, written)) {
      if (hasIngress(known, environment.environment)) return undefined
      continue
    }
    const other = spellingsAs(written)
    const site = sharedSite(sites, own, other)
    const port = meetingPort(listenersOf(ingress, own), listenersOf(ingress, other))
    if (site !== undefined && port !== undefined && runs(written, environment))
      return taken(shownName(known, environment), written, port, site)
  }
  return undefined
}

/**
 * Returns which ingresses run, according to the routes that were loaded for them. The configuration names an environment
 * by its directory or by its name in the repository, and the journal by its name on engines.
 */
export function ingressesIn(known: Known): RunsIngress {
  const all = known.journal.environments()
  return (written, than) => {
    const meant = all.filter(
      ({ environment, directory }) =>
        environment === written || isMeant({ name: posix.basename(directory), directory }, written),
    )
    const names = meant.length === 0 ? [written] : meant.map(({ environment }) => environment)
    return names.some(name => name !== than.environment && hasIngress(known, name))
  }
}

function hasIngress({ config, journal }: Known, environment: string): boolean {
  return journal.hasRoutes(
    environment,
    config.sites.map(({ name }) => name),
  )
}

/** Returns how the configuration names an environment. */
function shownName({ config }: Known, environment: CalledEnvironment): string {
  return config.environments.find(written => isSpelled(spellingsOf(environment), written)) ?? environment.name
}

function taken(environment: string, other: string, port: number, site: string): Problem {
  return {
    code: 'port-claimed',
    message: `the ingress of ${environment} claims host port ${port} of the site ${site}, which the ingress of ${other} has`,
    hint: `Give one of them other ports or addresses with "ingress: {environments: {${environment}: {http: {port: 8080}, https: {port: 8443}}}}" in tallyman.yaml.`,
  }
}
