import type { Application, Service, Strategy } from '../../../state/application/application.ts'
import { parsePattern } from '../../../state/pattern.ts'

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
  const others = [...runningVersions].filter(running => running !== (version ?? ''))
  if (upgrades === undefined || others.length === 0) return ({ strategy }) => ({ strategy })
  const path = upgrades.find(({ fromPattern }) => {
    const pattern = parsePattern(fromPattern)
    return pattern.ok && others.every(pattern.value.matches)
  })
  return ({ name }) => {
    const strategy = path?.services[name]
    if (strategy === undefined) return { noPath: reasonFor(others, version) }
    return path?.method === 'stop-and-restart' ? { strategy, stopsAll: true } : { strategy }
  }
}

function reasonFor(running: readonly string[], version: string | undefined): string {
  const from = running.toSorted().map(text => (text === '' ? 'no version' : text))
  return `no entry of "upgrade-from" leads from ${from.join(' and ')} to ${version ?? 'this one'}`
}
