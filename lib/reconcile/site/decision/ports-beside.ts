import type { TakenPort } from '../../../plan/resources.ts'
import { hostPort } from '../../../state/application/claim.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { containersOf } from '../../../state/application/members.ts'
import { identityOf } from '../identity/twin.ts'
import { type SiteWorld, siteOf } from '../site.ts'

/** Returns what is wanted on another site of the environment. */
export type WantedOn = (site: SiteWorld) => Promise<DesiredState>

/**
 * Returns the ports that others have on the engine of a site. On a Swarm, these are also the ports that a host is to
 * publish which is the engine that the Swarm is asked by: two sites of one engine may both be about to begin.
 */
export async function portsTaken(
  { world, engine }: SiteWorld,
  desired: DesiredState,
  wantedOn: WantedOn,
  signal: AbortSignal,
): Promise<readonly TakenPort[]> {
  const running = await engine.takenPorts(desired, signal)
  const host = await engine.asHost?.(signal)
  if (host === undefined) return running
  // Each Swarm asks, so nothing goes through all sites here.
  const beside = [...world.memory.engines.sitesOf(identityOf(host))]
    .flatMap(name => siteOf(world, name) ?? [])
    .filter(({ engine: other }) => other.asHost === undefined)
  const wanted = await Promise.all(beside.map(async site => portsIn(await wantedOn(site), site.engine.site)))
  return [...wanted.flat(), ...running]
}

function portsIn({ applications }: DesiredState, site: string): readonly TakenPort[] {
  return applications.flatMap(({ name, services }) =>
    services.flatMap(service =>
      containersOf(service).flatMap(({ ports = [] }) =>
        ports.flatMap((published): readonly TakenPort[] => {
          const port = hostPort(published)
          const holder = `${name}/${service.name} on the site ${site}, which is the same engine,`
          return port === undefined ? [] : [{ port, holder }]
        }),
      ),
    ),
  )
}
