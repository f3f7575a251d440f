import type { Problem } from '../../errors.ts'
import { isNowhere } from '../../fleet/placement.ts'
import { isInLast } from '../../fleet/spread/sites.ts'
import type { Stand } from '../../fleet/spread/stand.ts'
import type { AwaitedTurn, VersionHere } from '../../plan/hold/hold.ts'
import type { Blocked } from '../../state/application/desired.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'
import { awaitedTurn } from './awaited-turn.ts'

/** What a deployment lets each of its sites do now. */
export type DeploymentTurn = {
  readonly deployment: Deployment
  /** The sites that run the application. */
  readonly sites: ReadonlySet<string>
  /** The sites that have joined since it was evaluated: what runs there stays as it is (A25). Absent: none. */
  readonly joined?: ReadonlySet<string>
  /** Why nothing of the application is touched: the deployment cannot be carried out as it is written (D15). */
  readonly refused?: Problem
  /** Absent: the version is not known, or a person holds another one, which all sites get. */
  readonly run?: { readonly of: DeploymentRun; readonly stand: Stand }
  /** A hash of what the version consists of now, which may be newer than its run (A11). Absent: there is no run. */
  readonly content?: string
  /** The versions of the sites that should have another one than the run brings (A72). Absent: there are none. */
  readonly apart?: ReadonlyMap<string, string>
}

/** What the deployments of an environment mean for one of its sites. */
export type SiteTurns = {
  readonly refused: readonly Blocked[]
  /** Applications that belong to other sites. */
  readonly elsewhere: ReadonlySet<string>
  /** Of these, those that are to be on sites that there are, or nowhere on purpose (G4). */
  readonly placed: ReadonlySet<string>
  /** Deployments that were evaluated before this site joined, by application. What runs of it here stays (A25). */
  readonly joined: ReadonlyMap<string, string>
  /** Versions whose turn has not come here, by application. */
  readonly awaited: ReadonlyMap<string, AwaitedTurn>
  /** What becomes of changes without a new version here, by application, where the version is (A11). */
  readonly sameVersion: ReadonlyMap<string, VersionHere>
  /** Deployments that end, or have ended, with a failure of their version here, by application (A33). */
  readonly ending: ReadonlyMap<string, string>
}

/** Returns what the deployments of an environment mean for a site. */
export function onSite(turns: readonly DeploymentTurn[], site: string): SiteTurns {
  const elsewhere = turns.filter(({ sites, refused }) => refused === undefined && !sites.has(site))
  const awaited = turns.flatMap(turn => {
    const { run, sites } = turn
    return run === undefined || !sites.has(site) || run.stand.open.has(site)
      ? []
      : [[turn.deployment.application, awaitedTurn(turn.deployment, run, site)] as const]
  })
  return {
    refused: turns.flatMap(({ deployment: { application }, refused }) =>
      refused === undefined ? [] : [{ application, problems: [refused] as const }],
    ),
    elsewhere: new Set(elsewhere.map(({ deployment }) => deployment.application)),
    placed: new Set(
      elsewhere
        .filter(({ sites, deployment }) => sites.size > 0 || isNowhere(deployment))
        .map(({ deployment }) => deployment.application),
    ),
    joined: new Map(
      elsewhere
        .filter(({ joined }) => joined?.has(site))
        .map(({ deployment: { application, name } }) => [application, name]),
    ),
    awaited: new Map(awaited),
    sameVersion: new Map(
      turns.flatMap(turn =>
        turn.run !== undefined && hasVersion(turn.run.stand, site) && turn.sites.has(site)
          ? [[turn.deployment.application, versionHere(turn, turn.run, site)] as const]
          : [],
      ),
    ),
    ending: new Map(
      turns
        .filter(turn => isTried(turn, site))
        .map(({ deployment }) => [deployment.application, deployment.name]),
    ),
  }
}

/** Returns the applications of which a version spreads, or proves itself, on sites of which this is one. */
export function spreadingOn(turns: readonly DeploymentTurn[], site: string): ReadonlySet<string> {
  return new Set(
    turns.flatMap(({ deployment, sites, run }) =>
      run === undefined || !sites.has(site) || isProved(run.stand) ? [] : [deployment.application],
    ),
  )
}

/** Whether deployments mean the same for a site at two times. */
export function isSameTurn(one: SiteTurns, other: SiteTurns): boolean {
  return turnText(one) === turnText(other)
}

function turnText({ refused, elsewhere, placed, joined, awaited, sameVersion }: SiteTurns): string {
  const paused = [...sameVersion].flatMap(([name, { held }]) => (held === undefined ? [] : [name]))
  return JSON.stringify([refused, [...elsewhere], [...placed], [...joined], [...awaited], paused])
}

/** Whether a site has the version of a run, as it is now or with another content (A11). */
export function hasVersion({ reached, had }: Stand, site: string): boolean {
  return reached.has(site) || had.has(site)
}

/**
 * Returns what becomes of a change without a new version where the version is. A pause holds it like a new one, and so
 * does the end of the run where the content that failed has not come yet (A33).
 */
function versionHere(
  { deployment, sites }: DeploymentTurn,
  run: NonNullable<DeploymentTurn['run']>,
  site: string,
): VersionHere {
  const { reached, had, open, wait } = run.stand
  const { name, sitesInParallel, canary } = deployment
  const isHeld = wait.for === 'resume' || !open.has(site)
  return {
    ...{ deployment: name, version: run.of.version, having: reached.size + had.size, sites: sites.size },
    isStepwise: sitesInParallel !== undefined || canary !== undefined,
    ...(isHeld ? { held: awaitedTurn(deployment, run, site).held } : {}),
  }
}

/** Whether a site has tried the version of a run that has not proved it everywhere. */
function isTried({ run }: DeploymentTurn, site: string): boolean {
  if (run === undefined) return false
  const { open, batches } = run.stand
  return !isProved(run.stand) && (open.has(site) || isInLast(batches, site))
}

/** Whether the version of a run has proved itself on all sites. */
function isProved({ wait }: Stand): boolean {
  return wait.for === 'done' && wait.untilMs === undefined
}
