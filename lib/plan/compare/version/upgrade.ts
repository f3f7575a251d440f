import type { Application, Service, Strategy } from '../../../state/application/application.ts'
import { leadsFromAll, noPathText, pathMatcher, runningBeside } from '../../../state/fleet/upgrade-path.ts'

/** How a service gets from what runs to what is wanted, or why it must not. */
export type UpgradeChoice =
  | {
      readonly strategy: Strategy
      /** All services of the application stop before one of them starts anew (A40). */
      readonly stopsAll?: true
    }
  | { readonly noPath: string }

/**
 * Returns the strategy by which each service of an application is replaced, given the running versions of it. Without
 * `upgrade-from`, or if no other version runs, it is the service's own. Otherwise the first path that all other running
 * versions match decides. If there is none, the version has to wait (A42). What runs without a version has the empty
 * one. The paths are read once for all services.
 */
export function strategiesFor(
  { version, upgrades }: Application,
  runningVersions: ReadonlySet<string>,
): (service: Service) => UpgradeChoice {
  const others = runningBeside(version ?? '', runningVersions)
  if (upgrades === undefined || others.length === 0) return ({ strategy }) => ({ strategy })
  const matches = pathMatcher()
  const path = upgrades.find(({ fromPattern }) => leadsFromAll(fromPattern, others, matches))
  return ({ name }) => {
    const strategy = path?.services[name]
    if (strategy === undefined) return { noPath: noPathText(others, version ?? '') }
    return path?.method === 'stop-and-restart' ? { strategy, stopsAll: true } : { strategy }
  }
}
