import { optional } from '../../../object.ts'
import { swarmMadeAnew } from '../../../plan/warning/swarm-made-anew.ts'
import type { LiveState } from '../../../state/running/live.ts'
import type { SiteWorld } from '../site.ts'

/**
 * Whether a site is another Swarm than the one on which something ran, because that was left and made anew, and nothing
 * runs on it yet. What was on record of the former is put aside then: what is missing is no drift, and whether it is made
 * depends on what an empty site depends on (D2, D4). Says so once in the log. The manager is asked which Swarm it is only
 * where that is not known, and where nothing runs. Fails as the site does.
 * @param records whether this process writes to the site
 */
export async function isSwarmMadeAnew(
  { world: { journal, log, nowMs }, engine, memory }: SiteWorld,
  environment: string,
  { containers }: LiveState,
  records: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { site } = engine
  if (engine.swarm === undefined) return false
  const known = journal.knownSwarm(environment, site)
  if (known !== undefined && containers.length > 0) return false
  const { id } = await engine.info(signal)
  if (known?.id === id) return known.anewAtMs !== undefined
  const isAnew = known !== undefined && journal.applied(environment, site).size > 0
  const anewAtMs = isAnew ? nowMs() : known?.anewAtMs
  if (records)
    journal.atOnce(() => {
      journal.knowSwarm(environment, site, { id, ...optional('anewAtMs', anewAtMs) })
      if (isAnew) journal.putAside(environment, site)
    })
  if (records && isAnew) {
    memory.convergence.forget()
    log.warn(swarmMadeAnew(site).message)
  }
  return anewAtMs !== undefined
}
