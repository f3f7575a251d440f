import type { Strategy, UpgradePath } from '../../state/application/application.ts'
import { parsePattern } from '../../state/pattern.ts'
import type {
  ApplicationSpecification,
  ServiceUpgrade,
  UpgradePath as WrittenPath,
} from '../application.gen.ts'
import type { Spot } from '../spot.ts'
import { defaultStrategy, readHealthyTime } from './strategy.ts'

/**
 * Reads `upgrade-from` (A40 to A42). It is a strategy for each running version, so an application has either this or
 * `strategy`. Services that a `per-service` path leaves out are stopped and restarted.
 */
export function readUpgrades(
  { 'upgrade-from': written, strategy, services }: ApplicationSpecification,
  healthyMs: number,
  root: Spot,
): readonly UpgradePath[] | undefined {
  if (written === undefined) return undefined
  if (strategy !== undefined) root.at('strategy').fault(saidTwice)
  services.forEach((service, index) => {
    if (service.strategy !== undefined) root.at('services', index, 'strategy').fault(saidTwice)
  })
  const names = services.map(({ name }) => name)
  return written.map((path, index) => readPath(path, names, healthyMs, root.at('upgrade-from', index)))
}

const saidTwice = 'says how instances are replaced, and so does "upgrade-from"; keep one of them'

function readPath(
  written: WrittenPath,
  names: readonly string[],
  healthyMs: number,
  spot: Spot,
): UpgradePath {
  const { 'version-regexp': fromPattern, method, services = [] } = written
  spot.at('version-regexp').take(parsePattern(fromPattern))
  if (method === 'stop-and-restart' && services.length > 0)
    spot.at('services').fault('does not go with "method: stop-and-restart", which is about all of them')
  const listed = new Map<string, Strategy>()
  services.forEach((upgrade, index) => {
    const at = spot.at('services', index)
    if (!names.includes(upgrade.name))
      at.at('name').fault(`"${upgrade.name}" is no service of the application`)
    if (listed.has(upgrade.name)) at.at('name').fault(`is "${upgrade.name}" a second time`)
    listed.set(upgrade.name, readUpgrade(upgrade, healthyMs, at))
  })
  const restarted: Strategy = { ...defaultStrategy(healthyMs), type: 'recreate' }
  return {
    fromPattern,
    method,
    services: Object.fromEntries(names.map(name => [name, listed.get(name) ?? restarted])),
  }
}

/** At most `instances-in-parallel` are down at a time, and none runs besides those that are wanted (A41). */
function readUpgrade(written: ServiceUpgrade, healthyMs: number, spot: Spot): Strategy {
  const { method = 'rolling', 'instances-in-parallel': parallel, 'healthy-time': healthy } = written
  if (method === 'stop-and-restart' && parallel !== undefined)
    spot.at('instances-in-parallel').fault('does not go with "method: stop-and-restart"')
  const standard = defaultStrategy(healthyMs)
  return {
    ...standard,
    ...(method === 'rolling'
      ? { type: 'rolling', maxSurge: 0, maxUnavailable: parallel ?? 1 }
      : { type: 'recreate' }),
    healthyMs:
      (healthy === undefined
        ? undefined
        : readHealthyTime(healthy, standard.timeoutMs, spot.at('healthy-time'))) ?? standard.healthyMs,
  }
}
