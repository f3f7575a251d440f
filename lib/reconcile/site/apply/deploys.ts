import type { InDeployTurn } from '../../../apply/step-runner.ts'
import { isSilence } from '../../../errors/silence.ts'
import { toFailure } from '../../../errors.ts'
import { isRunOfJob } from '../../../plan/step/run-of-job.ts'
import type { DeployTurns } from '../../turns/deploy-turns.ts'
import type { Seen } from '../observe.ts'
import { isStillThere, type SiteWorld } from '../site.ts'

/**
 * Returns what carries out the steps of a pass so that no deploy runs beside that of another version on another site (P5).
 * A wait that is cut off leaves a deploy that runs on.
 */
export function inDeployTurn(turns: DeployTurns): InDeployTurn {
  return async ({ site, application, deploys }, step, work, note, signal) => {
    if (step.do === 'await-end') {
      const done = await work()
      turns.ended(site, application)
      return done
    }
    if (!isRunOfJob(step) || step.job !== 'deploy') return work()
    const { container } = step
    const deploy = { site, application, container, version: deploys?.join() ?? container }
    const waits = (other: string) => note(`waits until the deploy of another version on ${other} has ended`)
    const turn = await turns.enter(deploy, waits, signal)
    try {
      const done = await work()
      turn.over()
      return done
    } catch (error) {
      if (signal.aborted || isSilence(toFailure(error))) turn.leave()
      else turn.over()
      throw error
    }
  }
}

/** Notes which deploys run on a site, as it was looked at. One that does not answer holds up no other one. */
export function noteDeploys(site: SiteWorld, seen: Seen): void {
  const { deploys } = site.world.memory
  if (!isStillThere(site)) return
  if (!('live' in seen)) {
    deploys.forget(site.engine.site)
    return
  }
  const up = seen.live.containers.filter(
    ({ role, state }) => role === 'deploy' && (state === 'running' || state === 'paused'),
  )
  deploys.seen(
    site.engine.site,
    up.map(({ application, engineName: container }) => ({ application, container })),
  )
}
