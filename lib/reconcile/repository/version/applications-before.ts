import type { AppliedTarget } from '../../../journal/services/applied.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import { desiredOn } from '../../../resolve/sites/desired-on.ts'
import type { Application } from '../../../state/application/application.ts'
import { type DesiredState, variantFor } from '../../../state/application/desired.ts'
import type { World } from '../../world.ts'
import { earlierState } from './earlier-state.ts'

/**
 * Returns the applications of one site as they were in the commits that were applied last, reduced to the given
 * services. What can no longer be read is left out: its containers can only be repaired as far as they still exist.
 */
export async function applicationsBefore(
  world: World,
  desired: DesiredState,
  site: string,
  stuck: ReadonlySet<string>,
  applied: ReadonlyMap<string, AppliedTarget>,
  signal: AbortSignal,
): Promise<readonly Application[]> {
  const asked = [...applied].filter(([key]) => stuck.has(key) && key.startsWith(`${site}/`))
  const byCommit = Map.groupBy(asked, ([, { commit }]) => commit)
  const found: Application[] = []
  for (const [commit, entries] of byCommit) {
    const state = await rememberedState(world, desired, site, commit, signal)
    const from = commit === desired.revision.commit ? undefined : commit
    const keys = new Set(entries.map(([key]) => key))
    for (const application of state?.applications ?? []) {
      const names = application.services.flatMap(({ name }) =>
        keys.has(`${site}/${application.name}/${name}`) ? name : [],
      )
      if (names.length > 0) found.push(partOf(application, names, from))
    }
  }
  return found
}

/** Returns an application with only these services. Sites share one value, because much is remembered of it. */
function partOf(application: Application, names: readonly string[], commit: string | undefined): Application {
  const known = parts(application)
  const key = JSON.stringify([names, commit])
  const part = known.get(key) ?? {
    ...application,
    services: application.services.filter(({ name }) => names.includes(name)),
    ...optional('commit', commit),
  }
  known.set(key, part)
  return part
}

/** By the names of their services and the commit that they come from. */
const parts = onceFor((_: Application) => new Map<string, Application>())

async function rememberedState(
  world: World,
  desired: DesiredState,
  site: string,
  commit: string,
  signal: AbortSignal,
): Promise<DesiredState | undefined> {
  const inForce = world.memory.commits.inForce()
  const isItself = inForce === undefined || inForce.desired === inForce.pinned
  if (commit === desired.revision.commit && isItself) return desired
  const found = await earlierState(world, commit, signal)
  if ('reason' in found) return undefined
  return desiredOn(variantFor(found.state, site), () => world.journal.routes(desired.environment, site))
}
