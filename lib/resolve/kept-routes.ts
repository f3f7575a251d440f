import type { RoutedApplication } from '../ingress/as-loaded.ts'
import type { Route } from '../state/application/ingress/route.ts'

/** Returns the routes that these applications have loaded, as they are: of the ones that have any (D15). */
export async function keptRoutes(
  applications: readonly string[],
  environment: string,
  loaded: readonly Route[],
  pool: string,
): Promise<readonly RoutedApplication[]> {
  if (applications.length === 0 || loaded.length === 0) return []
  const { asLoaded } = await import('../ingress/as-loaded.ts')
  return applications.flatMap(application => asLoaded(environment, application, loaded, pool))
}
