import type { Service } from '../../../../state/application/application.ts'
import { imageTag } from '../../../../state/application/version-of.ts'
import { containerHealth, worstHealth } from '../../../../state/running/health.ts'
import type { LiveContainer } from '../../../../state/running/live.ts'
import type { ApplicationStatus, TasksStatus } from '../application-status.ts'
import { ifAny } from './if-any.ts'
import { instancesRunning } from './instances.ts'

/**
 * Returns what the engine shows of an application. Its version and commit are those of the container whose tag is its
 * wanted version: the first one of its first service (X19). Without a specification, it is any app's container.
 */
export function observed(
  site: string,
  application: string,
  live: readonly LiveContainer[],
  firstService?: Pick<Service, 'name' | 'instances'>,
): Pick<ApplicationStatus, 'site' | 'application' | 'health' | 'version' | 'running' | 'commit' | 'tasks'> {
  // A sandbox has the labels of its instance, but an image of its own.
  const apps = live.filter(({ role }) => role === 'app').sort((a, b) => placeOf(a) - placeOf(b))
  const named = firstService?.instances[0]?.containers[0].name
  const isFirst = ({ service, container }: LiveContainer) =>
    service === firstService?.name && container === named
  const first = apps.find(isFirst) ?? apps[0] ?? live[0]
  return {
    site,
    application,
    health: first === undefined ? 'Missing' : worstHealth(live.map(containerHealth)),
    version: first?.version ?? imageTag(first?.image ?? ''),
    running: instancesRunning(live),
    commit: first?.commit ?? '',
    ...ifAny('tasks', tasksOn(live)),
  }
}

/** What runs says what an application is, before what ended, and that before what a rollout never started. */
function placeOf({ state }: LiveContainer): number {
  return state === 'running' ? 0 : state === 'created' ? 2 : 1
}

function tasksOn(live: readonly LiveContainer[]): readonly TasksStatus[] {
  return live.flatMap(({ service, runs }) => (runs?.nodes ?? []).map(one => ({ service, ...one })))
}
