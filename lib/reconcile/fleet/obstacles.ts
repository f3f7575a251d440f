import type { Problem } from '../../errors.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { optional } from '../../object.ts'
import type { Application } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { containersOf } from '../../state/application/members.ts'
import { versionOf } from '../../state/application/version-of.ts'
import type { Obstacle } from '../../state/fleet/obstacle.ts'
import { problemError } from '../status/error.ts'
import type { DeploymentTurn } from './turns.ts'

type Found = Omit<Obstacle, 'atMs'>

/**
 * Returns why deployments are not carried out as they are written (G13): they are refused, their application is blocked,
 * an image of it is unknown, or they cannot be read any more. Pure.
 * @param placements what was carried out before
 */
export function obstaclesOf(
  turns: readonly DeploymentTurn[],
  { applications, blocked }: Pick<DesiredState, 'applications' | 'blocked'>,
  placements: ReadonlyMap<string, PlacedSites>,
): readonly Found[] {
  const problems = new Map(blocked.map(({ application, problems: [first] }) => [application, first]))
  const versions = new Map(blocked.map(one => [one.application, one.version]))
  const written = new Set(turns.map(({ deployment }) => deployment.name))
  const gone = [...placements.values()].filter(({ deployment }) => !written.has(deployment.name))
  return [
    ...turns.flatMap(({ deployment: { name, application, version }, refused }) => {
      const found = applications.find(one => one.name === application)
      const wanted = version ?? (found && versionOf(found)) ?? versions.get(application)
      const problem = problems.get(application) ?? refused ?? (found && unresolvedIn(found))
      return obstacleOf(name, application, wanted, problem)
    }),
    ...gone.flatMap(({ deployment: { name, application } }) =>
      obstacleOf(name, application, undefined, problems.get(application)),
    ),
  ]
}

/** Nobody knows what a version consists of while an image of it cannot be resolved, so that none is brought anywhere. */
function unresolvedIn({ services }: Application): Problem | undefined {
  const pins = services.flatMap(containersOf).map(({ image }) => image.pin)
  const unknown = pins.find(pin => pin.state === 'unknown')
  return unknown && { code: 'digest-unknown', message: unknown.reason }
}

function obstacleOf(
  deployment: string,
  application: string,
  version: string | undefined,
  problem: Problem | undefined,
): readonly Found[] {
  if (problem === undefined) return []
  const { message: reason, hint } = problemError(problem)
  return [{ deployment, application, ...optional('version', version), code: problem.code, reason, hint }]
}
