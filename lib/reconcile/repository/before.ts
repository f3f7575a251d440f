import { toFailure } from '../../errors.ts'
import type { AppliedTarget } from '../../journal/services/applied.ts'
import { desiredOn } from '../../resolve/with-ingress.ts'
import type { Application } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { World } from '../world.ts'
import { stateAt } from './desired.ts'

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
    const isEarlier = commit !== desired.revision.commit
    const keys = new Set(entries.map(([key]) => key))
    for (const application of state?.applications ?? []) {
      const services = application.services.filter(({ name }) =>
        keys.has(`${site}/${application.name}/${name}`),
      )
      if (services.length > 0) found.push({ ...application, services, ...(isEarlier ? { commit } : {}) })
    }
  }
  return found
}

async function rememberedState(
  world: World,
  desired: DesiredState,
  site: string,
  commit: string,
  signal: AbortSignal,
): Promise<DesiredState | undefined> {
  if (commit === desired.revision.commit) return desired
  const { log, journal, steadyMs } = world
  const { commits } = world.memory
  const onSite = (state: DesiredState) => desiredOn(state, () => journal.routes(desired.environment, site))
  const known = commits.earlier(commit)
  if (known !== undefined) return onSite(known)
  if (commits.isLeftAlone(commit, steadyMs())) return undefined
  try {
    const state = await commits.readOnce(commit, () => stateAt(world, commit, signal))
    commits.keepEarlier(commit, state)
    return onSite(state)
  } catch (error) {
    if (signal.aborted) throw error
    const { code, message: reason } = toFailure(error)
    // The pass that read it for this one too was stopped.
    if (code === 'interrupted') return rememberedState(world, desired, site, commit, signal)
    if (commits.isNews(commit, reason, steadyMs()))
      log.warn('the commit that was applied before cannot be read any more', { commit, reason })
    return undefined
  }
}
