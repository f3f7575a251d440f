import type { Application, Service, Strategy } from '../../state/application/application.ts'
import { parsePattern } from '../../state/pattern.ts'

/** How a service gets from what runs to what is wanted, or why it must not. */
export type UpgradeChoice =
  | {
      readonly strategy: Strategy
      /** All services of the application stop before one of them starts anew (A40). */
      readonly stopsAll?: true
    }
  | { readonly noPath: string }

/**
 * Returns the strategy by which a service is replaced, given the running versions of its application. Without
 * `upgrade-from`, or if no other version runs, it is the service's own. Otherwise the first path that all other running
 * versions match decides. If there is none, the version has to wait (A42). What runs without a version has the empty
 * one.
 */
export function strategyFor(
  { version, upgrades }: Application,
  service: Service,
  runningVersions: ReadonlySet<string>,
): UpgradeChoice {
  const others = [...runningVersions].filter(running => running !== (version ?? ''))
  if (upgrades === undefined || others.length === 0) return { strategy: service.strategy }
  const path = upgrades.find(({ fromPattern }) => {
    const pattern = parsePattern(fromPattern)
    return pattern.ok && others.every(pattern.value.matches)
  })
  const strategy = path?.services[service.name]
  if (strategy === undefined) return { noPath: reasonFor(others, version) }
  return path?.method === 'stop-and-restart' ? { strategy, stopsAll: true } : { strategy }
}

function reasonFor(running: readonly string[], version: string | undefined): string {
  const from = running.toSorted().map(text => (text === '' ? 'no version' : text))
  return `no entry of "upgrade-from" leads from ${from.join(' and ')} to ${version ?? 'this one'}`
}
