import type { Service } from '../../state/application.ts'
import type { Container } from '../../state/container.ts'
import type { Action } from '../change.ts'
import type { Difference } from '../diff.ts'
import { create } from './create.ts'
import { recreate } from './recreate.ts'
import { remove } from './remove.ts'
import { repair } from './repair.ts'
import { rolling } from './rolling.ts'
import type { Rollout } from './rollout.ts'

/** What is to be done about a difference, and how. */
export function choose(difference: Difference): { readonly action: Action; readonly rollout: Rollout } {
  const { declared, target, surplus, missing, matched, faults } = difference
  if (declared === undefined)
    return { action: 'remove', rollout: remove(surplus, 'no longer in the manifest') }
  if (target === 'absent') return { action: 'remove', rollout: remove(surplus, 'no instances wanted') }
  const { service } = declared
  if (surplus.length === 0) {
    return faults.length === 0
      ? { action: 'create', rollout: create(difference, service) }
      : { action: 'start', rollout: repair(difference, service) }
  }
  const wanted = new Set(matched.map(({ wanted: { fingerprint } }) => fingerprint))
  if (
    missing.length === 0 &&
    faults.length === 0 &&
    surplus.every(({ fingerprint }) => wanted.has(fingerprint))
  ) {
    return { action: 'remove', rollout: remove(surplus, 'fewer instances wanted') }
  }
  return { action: 'replace', rollout: replace(difference, service) }
}

/** Rolling where nothing is exclusive, recreate otherwise; what the specification says goes first (D7). */
function replace(difference: Difference, service: Service): Rollout {
  switch (service.strategy.type) {
    case 'rolling':
      return rolling(difference, service, 'the specification says RollingUpdate')
    case 'recreate':
      return recreate(difference, service, 'the specification says Recreate')
    case 'auto': {
      const exclusive = exclusiveUse(service)
      return exclusive === undefined
        ? rolling(difference, service, 'nothing is exclusive')
        : recreate(difference, service, exclusive)
    }
  }
}

/** What two instances cannot have at the same time, in words. */
function exclusiveUse(service: Service): string | undefined {
  for (const container of service.instances.flatMap<Container>(({ containers }) => containers)) {
    const port = container.ports?.find(({ published }) => published !== undefined)
    if (port !== undefined) return `host port ${port.published} can be published once`
    const mount = container.mounts?.find(mount => mount.kind === 'volume' && mount.exclusive)
    if (mount?.kind === 'volume') return `volume ${mount.volume} is mounted by one instance at a time`
  }
  return undefined
}
