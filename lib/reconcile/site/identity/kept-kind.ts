import { Failure } from '../../../errors.ts'
import { splitKey } from '../../../plan/change/change.ts'
import type { SiteWorld } from '../site.ts'

/**
 * Fails with `site-kind-changed` if a site was a Swarm and is to be a host, or the other way round, while applications
 * run there as before: neither kind sees what runs as the other one, so they would run twice. Where none does, a site may
 * become the other kind.
 */
export function keepKind({ world: { journal }, engine }: SiteWorld, environment: string): void {
  const { site } = engine
  const isSwarm = engine.swarm !== undefined
  const wasSwarm = journal.knownSwarm(environment, site) !== undefined
  if (isSwarm === wasSwarm) return
  const applications = new Set(
    [...journal.applied(environment, site).keys()].map(key => splitKey(key).application),
  )
  if (applications.size === 0) return
  const [was, is] = wasSwarm ? ['a Swarm', 'a host'] : ['a host', 'a Swarm']
  const what = applications.size === 1 ? 'an application runs' : `${applications.size} applications run`
  throw new Failure('site-kind-changed', `${site}: it was ${was}, where ${what}, and is now said to be ${is}`)
}

/** Records that a site that this process writes to is a Swarm no more, if it was one. */
export function recordKind({ world: { journal }, engine }: SiteWorld, environment: string): void {
  const { site, swarm } = engine
  if (swarm === undefined && journal.knownSwarm(environment, site) !== undefined)
    journal.forgetSwarm(environment, site)
}
