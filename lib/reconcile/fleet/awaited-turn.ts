import type { Stand } from '../../fleet/spread/stand.ts'
import { optional } from '../../object.ts'
import type { AwaitedTurn } from '../../plan/hold/hold.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { type DeploymentRun, unrecorded } from '../../state/fleet/run.ts'

/**
 * Returns what keeps the version of a run from the sites whose turn has not come. Reads the same on all sites but the one
 * that failed, so that a plan tells it once.
 * @param site where it is told; absent: on any other one
 */
export function awaitedTurn(
  { name }: Deployment,
  { of, stand: { wait } }: { readonly of: DeploymentRun; readonly stand: Stand },
  site?: string,
): AwaitedTurn {
  const { version } = of
  const stopped = (reason: string, sinceMs: number): AwaitedTurn => ({
    version,
    held: { code: 'deployment-stopped', reason, sinceMs },
  })
  const ended = (reason: string, sinceMs: number): AwaitedTurn => ({
    ...stopped(reason, sinceMs),
    isOver: true,
  })
  switch (wait.for) {
    case 'correction': {
      const { site: failed, atMs } = wait.failed
      if (failed !== site) return ended(`the deployment ${name} failed on ${failed}`, atMs)
      const here = ended(`the deployment ${name} failed here`, atMs)
      return { ...here, held: { ...here.held, isFailed: true } }
    }
    case 'nothing':
      return ended(`the deployment ${name} was aborted by ${wait.said.who}`, wait.said.atMs)
    case 'resume': {
      const paused = stopped(`the deployment ${name} was paused by ${wait.said.who}`, wait.said.atMs)
      return { ...paused, held: { ...paused.held, isQueued: true } }
    }
    default:
      return {
        version,
        held: {
          code: 'not-its-turn',
          reason: `waits for its turn in the deployment ${name}`,
          // Nothing waits since a certain time for what has not begun.
          ...optional('sinceMs', of.id === unrecorded ? undefined : of.atMs),
          isQueued: true,
        },
      }
  }
}
