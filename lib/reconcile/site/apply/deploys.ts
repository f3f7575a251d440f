import type { WithDeployLock } from '../../../apply/step-runner.ts'
import { toFailure } from '../../../errors.ts'
import { type Change, keyOf } from '../../../plan/change/change.ts'
import { deploysOf } from '../../../plan/compare/job/wanted-jobs.ts'
import { upIn } from '../../../plan/rollout/stage/jobs.ts'
import { isRunOfJob } from '../../../plan/step/run-of-job.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { sleep } from '../../../wait/timer.ts'
import { observeSite, type SeenSite } from '../observe.ts'
import { isStillThere, type SiteWorld } from '../site.ts'
import { elapsedMs } from './elapsed.ts'

/**
 * Returns what carries out the steps of a pass so that no deploy runs beside that of another version on another site (P5).
 * A wait that ends otherwise than the deploy leaves one that may run on: the next look at the site tells.
 */
export function withDeployLock(here: SiteWorld, desired: DesiredState): WithDeployLock {
  const locks = here.world.memory.deploys
  return async (change, step, work, { signal, note, pause }) => {
    const { site, application } = change
    if (step.do === 'await-end') {
      const done = await work()
      locks.ended(site, application)
      return done
    }
    if (!isRunOfJob(step) || step.job !== 'deploy') return work()
    const { container } = step
    const deploy = { site, application, container, version: versionOfDeploys(desired, change) }
    const wait = waitOf(here, change, desired.environment)
    const waits = (other: string) => {
      wait.begin()
      note(`waits until the deploy of another version on ${other} has ended`)
    }
    const goOn = pause()
    const entered = locks.enter(deploy, waits, signal).finally(() => {
      goOn()
      wait.end()
    })
    using lock = await entered
    wait.over()
    try {
      const done = await work()
      lock.over()
      return done
    } catch (error) {
      if (toFailure(error).code === 'job-failed') lock.over()
      throw error
    }
  }
}

/** Returns what all services of an application deploy: the deploys of one version are those of all of its services. */
function versionOfDeploys({ applications }: DesiredState, { application, deploys = [] }: Change): string {
  const services = applications.find(({ name }) => name === application)?.services ?? []
  const images = services.flatMap(({ jobs = [] }) => deploysOf(jobs))
  return (images.length === 0 ? [...deploys] : images).toSorted().join()
}

/**
 * Has the time for which a change waits not count as time that it took, for the passes that go on with it, too, whichever
 * process makes them (X12). A wait that is broken off is on record until the deploy may run.
 */
function waitOf({ world, engine, memory }: SiteWorld, change: Change, environment: string) {
  const { journal, nowMs, steadyMs } = world
  const { site, application, service } = change
  const key = { environment, site, application, service }
  const attempt = journal.attempts(environment, engine.site).get(keyOf(change))
  elapsedMs({ world, memory }, attempt, change)
  let sinceMs: number | undefined
  let isOnRecord = attempt?.waitsSinceMs !== undefined
  return {
    begin() {
      sinceMs ??= steadyMs()
      if (isOnRecord) return
      isOnRecord = true
      journal.insist(() => journal.attemptWaits(key, nowMs()))
    },
    end() {
      if (sinceMs !== undefined) memory.attempts.putOff(keyOf(change), steadyMs() - sinceMs)
    },
    over() {
      if (isOnRecord) journal.insist(() => journal.attemptGoesOn(key, nowMs()))
    },
  }
}

/** Notes which deploys run on a site, as it was looked at. One that does not answer holds up no other one. */
export function noteDeploys(site: SiteWorld, seen: SeenSite): void {
  const { deploys } = site.world.memory
  if (!isStillThere(site)) return
  if (!('live' in seen)) {
    deploys.forget(site.engine.site)
    return
  }
  const up = upIn(seen.live.containers.filter(({ role }) => role === 'deploy'))
  deploys.seen(
    site.engine.site,
    up.map(({ application, engineName: container }) => ({ application, container })),
  )
}

/** How often a site is looked at for deploys of which nobody waits for the end. */
const lookMs = 1_000

/**
 * Looks again and again at a site over which no pass is made any more, until none of the deploys that were left there runs,
 * or the site does not answer, or the signal aborts: deploys of another version on other sites wait for them (P5).
 */
export async function followDeploys(
  site: SiteWorld,
  desired: DesiredState,
  signal: AbortSignal,
): Promise<void> {
  const { world, engine } = site
  const { site: name } = engine
  while (!signal.aborted && world.memory.deploys.isLeftOn(name)) {
    await sleep(lookMs, signal).catch(() => undefined)
    if (signal.aborted) return
    const seen = await world.pools.look(name, () => observeSite(site, desired, signal))
    if (!signal.aborted) noteDeploys(site, seen)
  }
}
