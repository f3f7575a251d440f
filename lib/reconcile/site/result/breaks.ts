import type { DesiredState } from '../../../state/application/desired.ts'
import { containersOf } from '../../../state/application/members.ts'
import { containerHealth, type HealthStatus } from '../../../state/running/health.ts'
import { isOfInstance } from '../../../state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../../state/running/live.ts'

/**
 * What is wrong with an application that is not healthy. `failing`: it runs and does badly, or nobody starts it again.
 * `ended`: a container of it ended by itself. `stopped`: somebody stopped, paused or removed it, or the engine stopped it as it
 * went down.
 */
export type Break = 'failing' | 'ended' | 'stopped'

/** From the one that says most about a version. */
const worstFirst: readonly Break[] = ['failing', 'ended', 'stopped']

/** Returns what is wrong with the applications that do not run, or do badly, on a site, as far as their containers tell. Pure. */
export function breaksOf(
  { containers }: LiveState,
  { applications }: DesiredState,
): ReadonlyMap<string, Break> {
  const breaks = new Map<string, Break>()
  const endingOf = (live: LiveContainer) => {
    const service = applications
      .find(({ name }) => name === live.application)
      ?.services.find(({ name }) => name === live.service)
    const own = service && containersOf(service).find(({ name }) => name === live.container)
    return own?.restart.name === 'no' || own?.restart.name === 'on-failure'
  }
  for (const live of containers) {
    if (!isOfInstance(live) || !isBroken(containerHealth(live))) continue
    const { application } = live
    const [one, other] = [breakOf(live, () => endingOf(live)), breaks.get(application)]
    const worst = worstFirst.find(kind => kind === one || kind === other)
    if (worst !== undefined) breaks.set(application, worst)
  }
  return breaks
}

/** Whether something does not do what it is for, now that it should. */
export function isBroken(health: HealthStatus | undefined): boolean {
  return health === 'Degraded' || health === 'Missing' || health === 'Suspended'
}

/**
 * Returns the applications of which a running container ended by itself, so that the engine started it again. Whoever
 * starts one by hand, or with the engine, begins the count of these starts anew. Pure.
 */
export function revivedIn({ containers }: LiveState): ReadonlySet<string> {
  return new Set(
    containers.flatMap(one =>
      isOfInstance(one) && one.state === 'running' && (one.restarts ?? 0) > 0 ? [one.application] : [],
    ),
  )
}

/** @param mayEnd whether the engine leaves it alone once it has ended */
function breakOf({ state, runs, isDone, role }: LiveContainer, mayEnd: () => boolean): Break {
  if (runs !== undefined || isDone === true || role === 'init') return 'failing'
  switch (state) {
    case 'restarting':
      return 'ended'
    // Where the engine starts what ends, only what somebody stopped stays so.
    case 'exited':
      return mayEnd() ? 'ended' : 'stopped'
    case 'removing':
    case 'paused':
      return 'stopped'
    default:
      return 'failing'
  }
}
