import type { Problem } from '../../errors.ts'
import type { Stand } from '../../fleet/strategy/stand.ts'
import type { AwaitedTurn } from '../../plan/hold/hold.ts'
import type { Blocked } from '../../state/application/desired.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'

/** What a deployment lets each of its sites do now. */
export type DeploymentTurn = {
  readonly deployment: Deployment
  /** The sites that run the application. */
  readonly sites: ReadonlySet<string>
  /** Why nothing of the application is touched: the deployment cannot be carried out as it is written (D15). */
  readonly refused?: Problem
  /** Absent: all sites get a version at once. */
  readonly run?: { readonly of: DeploymentRun; readonly stand: Stand }
}

/** What the deployments of an environment mean for one of its sites. */
export type SiteTurns = {
  readonly refused: readonly Blocked[]
  /** Applications that belong to other sites. */
  readonly elsewhere: ReadonlySet<string>
  /** Versions whose turn has not come here, by application. */
  readonly awaited: ReadonlyMap<string, AwaitedTurn>
}

/** Returns what the deployments of an environment mean for a site. */
export function onSite(turns: readonly DeploymentTurn[], site: string): SiteTurns {
  const elsewhere = turns.filter(({ sites, refused }) => refused === undefined && !sites.has(site))
  const awaited = turns.flatMap(turn => {
    const { run, sites } = turn
    return run === undefined || !sites.has(site) || run.stand.open.has(site)
      ? []
      : [[turn.deployment.application, awaitedTurn(turn.deployment, run)] as const]
  })
  return {
    refused: turns.flatMap(({ deployment: { application }, refused }) =>
      refused === undefined ? [] : [{ application, problems: [refused] as const }],
    ),
    elsewhere: new Set(elsewhere.map(({ deployment }) => deployment.application)),
    awaited: new Map(awaited),
  }
}

/** Reads the same on all sites, so that a plan tells it once. */
function awaitedTurn(
  { name }: Deployment,
  { of, stand: { wait } }: NonNullable<DeploymentTurn['run']>,
): AwaitedTurn {
  const { version } = of
  const stopped = (reason: string, sinceMs: number): AwaitedTurn => ({
    version,
    held: { code: 'deployment-stopped', reason, sinceMs },
  })
  switch (wait.for) {
    case 'correction':
      return stopped(
        `the deployment ${name} failed on ${wait.failed.site}: ${wait.failed.reason}`,
        wait.failed.atMs,
      )
    case 'nothing':
      return stopped(`the deployment ${name} was aborted by ${wait.said.who}`, wait.said.atMs)
    case 'resume':
      return stopped(`the deployment ${name} was paused by ${wait.said.who}`, wait.said.atMs)
    default:
      return {
        version,
        held: {
          code: 'not-its-turn',
          reason: `waits for its turn in the deployment ${name}`,
          isQueued: true,
        },
      }
  }
}
