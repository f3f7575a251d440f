import { listenersOf, meetingPort } from '../../config/listeners.ts'
import { type Placing, sharedSite } from '../../config/shared-site.ts'
import type { Config } from '../../config.ts'
import type { Problem } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'

type Known = {
  readonly config: Pick<Config, 'environments' | 'ingress'> & { readonly sites: readonly Placing[] }
  readonly journal: Pick<Journal, 'hasRoutes'>
}

/**
 * Returns why an environment cannot have an ingress on its ports: the ingress of another environment listens there, on
 * a site of both. A running ingress keeps its ports. If both run, the one that the configuration names first keeps
 * them.
 */
export function rivalOf({ config, journal }: Known, environment: string): Problem | undefined {
  const { ingress, sites } = config
  if (ingress === undefined || ingress.isExternal) return undefined
  const names = [...new Set([...config.environments, ...Object.keys(ingress.environments)])]
  const everywhere = sites.map(({ name }) => name)
  const runs = (name: string) => journal.hasRoutes(name, everywhere)
  for (const other of names) {
    if (other === environment) {
      if (runs(environment)) return undefined
      continue
    }
    const site = sharedSite(sites, environment, other)
    const port = meetingPort(listenersOf(ingress, environment), listenersOf(ingress, other))
    if (site !== undefined && port !== undefined && runs(other)) return taken(environment, other, port, site)
  }
  return undefined
}

function taken(environment: string, other: string, port: number, site: string): Problem {
  return {
    code: 'port-claimed',
    message: `the ingress of ${environment} claims host port ${port} of the site ${site}, which the ingress of ${other} has`,
    hint: `Give one of them other ports or addresses with "ingress: {environments: {${environment}: {http: {port: 8080}, https: {port: 8443}}}}" in tallyman.yaml.`,
  }
}
