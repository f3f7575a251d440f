import type { Service } from '../../state/application/application.ts'
import { membersOf } from '../../state/application/members.ts'

/** Returns why old and new instances of a service cannot run side by side, in words; undefined if they can (D7). */
export function whyRecreate(service: Service): string | undefined {
  return service.strategy.type === 'recreate' ? 'the specification says Recreate' : exclusiveUse(service)
}

/** Returns what two instances cannot have at the same time. */
function exclusiveUse(service: Service): string | undefined {
  for (const container of service.instances.flatMap(membersOf)) {
    const port = container.ports?.find(({ published }) => published !== undefined)
    if (port !== undefined) return `host port ${port.published} can be published once`
    const mount = container.mounts?.find(mount => mount.kind === 'volume' && mount.exclusive)
    if (mount?.kind === 'volume') return `volume ${mount.volume} is mounted by one instance at a time`
  }
  return undefined
}
