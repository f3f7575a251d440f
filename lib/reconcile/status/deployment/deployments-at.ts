import { environmentName } from '../../repository/identity/environment-name.ts'
import type { World } from '../../world.ts'
import { asTheyWait } from '../application/waiting/turn-now.ts'
import { withAnswers } from '../application/waiting/with-approvals.ts'
import { keptTogether, unreachedIn } from '../last-state.ts'
import type { DeploymentStatus } from './deployment-status.ts'
import { knownOfRuns } from './known-of-runs.ts'
import { allDeployments } from './observed-deployments.ts'

/**
 * Returns the deployments of an environment as they stand, for a command that looks at its sites: now, or when somebody
 * looked last. A healthy time that was not over then ends with the look that finds it so.
 */
export async function deploymentsAt(
  world: World,
  time: 'now' | 'last-look',
): Promise<readonly DeploymentStatus[]> {
  const { journal, memory, nowMs } = world
  const environment = environmentName(world)
  const { state, seenMs = nowMs(), parts } = keptTogether(journal, environment)
  const source = {
    ...{ environment, journal, nowMs: time === 'now' ? nowMs() : seenMs },
    ...knownOfRuns(world),
  }
  const seen = {
    ...source,
    applications: asTheyWait(
      source,
      withAnswers(state?.applications ?? [], {
        ...{ environment, journal, commit: state?.revision?.commit, approve: undefined },
      }),
    ),
    unreached: unreachedIn(state),
    errors: state?.errors ?? [],
    parts,
    theirs: memory.whose.theirs(),
    turns: memory.fleet.turns.all(),
  }
  return allDeployments(seen, world.pacing.goOn)
}
