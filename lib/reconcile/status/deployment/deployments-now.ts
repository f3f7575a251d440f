import type { DeploymentTurn } from '../../fleet/turns.ts'
import { environmentName } from '../../repository/identity/environment-name.ts'
import { sitesNow } from '../../site/site.ts'
import type { World } from '../../world.ts'
import { asTheyWait } from '../application/why-they-wait.ts'
import { withAnswers } from '../application/with-approvals.ts'
import { keptTogether, unreachedIn } from '../last-state.ts'
import type { DeploymentStatus } from './deployment-status.ts'
import { allDeployments } from './observed-deployments.ts'

/**
 * Returns the deployments of an environment as they stand now, for a command that has just looked at its sites.
 * @param turns what they mean for the sites; none: only what is on record is told
 */
export function deploymentsNow(
  world: World,
  turns: readonly DeploymentTurn[] = world.memory.fleet.turns(),
): readonly DeploymentStatus[] {
  const { journal, memory, nowMs } = world
  const environment = environmentName(world)
  const { state } = keptTogether(journal, environment)
  const source = {
    ...{ environment, journal, isReady: memory.fleet.isReady, nowMs: nowMs() },
    sites: sitesNow(world),
  }
  return allDeployments({
    ...source,
    applications: asTheyWait(
      source,
      withAnswers(state?.applications ?? [], {
        ...{ environment, journal, commit: state?.revision?.commit, approve: undefined },
      }),
    ),
    unreached: unreachedIn(state),
    errors: state?.errors ?? [],
    theirs: memory.whose.theirs(),
    turns,
  })
}
