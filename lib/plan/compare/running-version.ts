import type { Application } from '../../state/application/application.ts'
import type { LiveContainer, LiveState } from '../../state/running/live.ts'

/** Returns the running containers of each application on a site. */
export function runningByApplication({
  containers,
}: LiveState): ReadonlyMap<string, readonly LiveContainer[]> {
  const running = containers.filter(({ role, state }) => role === 'app' && state === 'running')
  return Map.groupBy(running, ({ application }) => application)
}

/**
 * Whether an application runs in exactly the version that is wanted, by the version that is declared or else the tag of
 * its first image (X19). What differs from it then is a change without a new version (A11).
 */
export function isVersionRunning(
  { version, services }: Pick<Application, 'version' | 'services'>,
  running: readonly LiveContainer[],
): boolean {
  if (version !== undefined) return running.length > 0 && running.every(one => one.version === version)
  const [first] = services.flatMap(({ instances }) => instances)
  return running.some(({ image }) => image === first?.containers[0].image.reference)
}
