import type { Container } from '../../state/application/container/container.ts'
import type { Service as Written } from '../application.gen.ts'
import { isOfNetwork } from '../kernel-parameters.ts'
import { type Policy, refusedHostNetwork } from '../policy/policy.ts'
import { volumeViolation } from '../policy/volume.ts'
import type { VolumeKind } from '../read/volume/volumes.ts'
import { sandboxName } from '../sandbox.ts'
import type { Spot } from '../spot.ts'

/** Notes a fault if the network of the host is refused, or does not go with what containers demand. */
export function faultHostNetwork(
  { network }: Written,
  containers: readonly Container[],
  policy: Policy,
  spot: Spot,
): void {
  if (network?.host !== true) return
  if (!policy.hostNetwork) spot.fault(refusedHostNetwork, 'policy-violation')
  if (containers.some(publishesPorts))
    spot.fault("stands beside published ports; on the host's network every port is the host's")
  if (containers.some(({ sysctls = {} }) => Object.keys(sysctls).some(isOfNetwork)))
    spot.fault('stands beside "sysctls" of the network, which are the host\'s own there')
}

/** Returns whether a container has ports of the host. */
export function publishesPorts({ ports = [] }: Container): boolean {
  return ports.length > 0
}

/** A container cannot have a namespace of the host and one of its instance at the same time. */
export function faultHostNamespaces(written: Written, sharesProcesses: boolean, spot: Spot): void {
  for (const key of ['containers', 'init-containers'] as const)
    written[key]?.forEach(({ pid, ipc }, index) => {
      if (pid === 'host' && sharesProcesses)
        spot
          .at(key, index, 'pid')
          .fault('is the host, and the containers share theirs; set share-pid-namespace: false')
      if (ipc === 'host')
        spot.at(key, index, 'ipc').fault('is the host, and the containers of an instance share theirs')
    })
}

/** Notes a fault for each name that two containers have, or that the sandbox needs. */
export function faultNames(written: Written, hasSandbox: boolean, spot: Spot): void {
  const seen = new Set<string>()
  for (const key of ['containers', 'init-containers'] as const)
    written[key]?.forEach(({ name }, index) => {
      if (seen.has(name)) spot.at(key, index, 'name').fault(`is "${name}" a second time`)
      seen.add(name)
      if (hasSandbox && name === sandboxName)
        spot
          .at(key, index, 'name')
          .fault(`is "${name}", which names what the containers of an instance share`)
    })
}

/** Notes a fault for each volume that the policy refuses (G23). */
export function faultVolumes(
  written: Written,
  volumes: ReadonlyMap<string, VolumeKind | undefined>,
  policy: Policy,
  spot: Spot,
): void {
  written.volumes?.forEach(({ name }, index) => {
    const kind = volumes.get(name)
    const refusal = kind?.kind === 'volume' ? volumeViolation(kind.volume, policy) : undefined
    if (refusal !== undefined)
      spot.at(index, 'persistent-volume').fault(refusal.reason, 'policy-violation', refusal.hint)
  })
}

/** Warns of keys of the applications document that have no effect (A45). `onSwarms`: a site is a Swarm, which has nodes. */
export function warnOfNoEffect(written: Written, onSwarms: boolean, warn: Spot): void {
  if (written.placement !== undefined && !onSwarms)
    warn.at('placement').fault('has no effect: a site is one host', 'no-effect')
  if (onSwarms) warnOfPreferences(written, warn.at('placement'))
  for (const key of ['containers', 'init-containers'] as const)
    written[key]?.forEach((container, index) => {
      const at = warn.at(key, index)
      if (container.approle !== undefined)
        at.at('approle').fault('has no effect: secrets come from the providers of tallyman.yaml', 'no-effect')
      if (container['on-mounted-file-change']?.restart === false)
        at.at('on-mounted-file-change', 'restart').fault(
          'has no effect: a changed file is a changed instance, which is replaced',
          'no-effect',
        )
    })
}

/** A Swarm places the tasks of each service without a look at others, and those of one on as many nodes as it can. */
function warnOfPreferences({ placement = {}, mode }: Written, warn: Spot): void {
  const alone = 'has no effect: a Swarm does not place one service by where another one runs'
  const instead = {
    'preferred-affinity': `${alone}; the same "match-host-labels" for both keeps them on the same nodes`,
    'preferred-anti-affinity': `${alone}; "spread-over" spreads the tasks of one over the values of labels of nodes`,
  } as const
  for (const key of ['preferred-affinity', 'preferred-anti-affinity'] as const)
    if (placement[key] !== undefined) warn.at(key).fault(instead[key], 'no-effect')
  if (placement['spread-over'] !== undefined && mode === 'global')
    warn.at('spread-over').fault('has no effect with "mode: global": each node has one task', 'no-effect')
}
