import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { onceFor } from '../../once-for.ts'
import type { Application } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { containersOf } from '../../state/application/members.ts'
import { versionOf } from '../../state/application/version-of.ts'
import { hashOf } from '../../state/canonical.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'
import { stateOf } from '../status/last-state.ts'
import type { World } from '../world.ts'
import { type AdvanceInput, advance, type News } from './advance.ts'
import type { DeploymentTurn } from './turns.ts'

/**
 * Brings all deployments of an environment as far as they can go now, so that the passes over its sites know whose turn
 * it is. `writes`: whether that is recorded; without it, what would happen is only looked at. Returns when the next
 * healthy time ends; undefined: none runs.
 */
export function advanceAll(world: World, desired: DesiredState, writes: boolean): number | undefined {
  const { journal, memory } = world
  const { environment, deployments = [] } = desired
  if (deployments.length === 0 && memory.fleet.turns().length === 0) return undefined
  const placements = journal.placements(environment)
  const hasIt = lastSeenIn(world, desired)
  const held = new Set(journal.heldVersions(environment).map(({ application }) => application))
  const turns = deployments.map(deployment => {
    const { turn, news } = advanceOne(world, desired, deployment, placements.get(deployment.name), {
      hasIt,
      isHeld: held.has(deployment.application),
    })
    if (!writes || news.length === 0) return turn
    const run = record(world, environment, deployment, news)
    return turn.run === undefined || run === undefined ? turn : { ...turn, run: { ...turn.run, of: run } }
  })
  const names = new Set(deployments.map(({ name }) => name))
  if (writes)
    for (const name of placements.keys()) if (!names.has(name)) journal.forgetPlacement(environment, name)
  memory.fleet.setTurns(turns)
  return nextOf(turns)
}

function advanceOne(
  world: World,
  { environment, applications }: DesiredState,
  deployment: Deployment,
  placement: PlacedSites | undefined,
  {
    hasIt,
    isHeld,
  }: { readonly hasIt: (application: Application, site: string) => boolean; readonly isHeld: boolean },
): ReturnType<typeof advance> {
  const { journal, memory, config, engines, nowMs, random } = world
  const application = applications.find(({ name }) => name === deployment.application)
  const run = journal.run(environment, deployment.application)
  const here = new Set(engines.map(({ site }) => site))
  return advance({
    environment,
    deployment,
    isHeld,
    wanted: application && wantedOf(application),
    sites: config.sites.filter(({ name }) => here.has(name)),
    placement,
    run,
    facts: run === undefined ? [] : memory.fleet.facts(run, after => journal.facts(run.id, after)),
    isReady: site => memory.fleet.isReady(deployment.application, site),
    hasIt: site => application !== undefined && hasIt(application, site),
    nowMs: nowMs(),
    seed: Math.floor(random() * 2 ** 32),
  })
}

/** Returns the run that it is about. After a crash, all of it is there or nothing. */
function record(
  { journal }: World,
  environment: string,
  { application }: Deployment,
  news: readonly News[],
): DeploymentRun | undefined {
  return journal.atOnce(() => {
    let run = journal.run(environment, application)
    for (const one of news) {
      if (one.is === 'placement') journal.setPlacement(environment, one.placement)
      else if (one.is === 'run') run = journal.beginRun(one.run)
      else if (run !== undefined) journal.addFact(run.id, one.fact)
    }
    return run
  })
}

/** While an image is unknown, nobody knows what the version consists of. */
const wantedOf = onceFor((application: Application): AdvanceInput['wanted'] =>
  application.services.flatMap(containersOf).some(({ image }) => image.pin.state === 'unknown')
    ? undefined
    : { version: versionOf(application), content: hashOf(application) },
)

/**
 * Returns whether an application was last seen on a site in the version that is wanted, and healthy. It need not have
 * been in sync: another version may have been wanted then.
 */
function lastSeenIn(
  { journal }: World,
  { environment }: DesiredState,
): (application: Application, site: string) => boolean {
  let seen: ReadonlySet<string> | undefined
  return (application, site) => {
    seen ??= new Set(
      journal
        .keptStates(environment)
        .flatMap(({ site, state }) =>
          (stateOf(state)?.applications ?? [])
            .filter(({ health }) => health === 'Healthy')
            .map(({ application, version }) => inWords(site, application, version)),
        ),
    )
    return seen.has(inWords(site, application.name, versionOf(application)))
  }
}

function inWords(...words: readonly string[]): string {
  return JSON.stringify(words)
}

function nextOf(turns: readonly DeploymentTurn[]): number | undefined {
  return turns.reduce<number | undefined>((next, { run }) => {
    const wait = run?.stand.wait
    const untilMs = wait?.for === 'healthy-time' || wait?.for === 'done' ? wait.untilMs : undefined
    return untilMs === undefined ? next : Math.min(next ?? untilMs, untilMs)
  }, undefined)
}
