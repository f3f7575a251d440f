import type { Instance } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container/container.ts'
import type { Service as Written } from '../application.gen.ts'
import { networksOf, readAliases, withPublishedPorts } from '../networks.ts'
import { inPhase, underContract } from '../pallet/pallet.ts'
import { volumeWithinAllowed } from '../policy/volume.ts'
import { present } from '../present.ts'
import { hasNetworkProbe } from '../read/health/probes.ts'
import { mountedVolumes } from '../read/volume/volumes.ts'
import { join, sandboxImage } from '../sandbox.ts'
import type { Spot } from '../spot.ts'
import { buildInit, buildMember, judged, type Within } from './member.ts'
import { faultHostNamespaces, faultHostNetwork, faultNames, publishesPorts } from './service-faults.ts'

/** An instance, and its first container before it gets a phase and shares anything. */
type Made = { readonly instance: Instance; readonly first: Container }

/**
 * Builds one instance. It has a sandbox if several containers share something, or if probes have to be performed (C50).
 */
export function buildInstance(written: Written, within: Within, spot: Spot): Made | undefined {
  const writtenInit = written['init-containers'] ?? []
  const all = [...writtenInit, ...written.containers]
  const shared = all.length > 1 || all.some(hasNetworkProbe)
  faultNames(written, shared, spot)
  const read = written.containers.map((container, index) =>
    buildMember(
      container,
      { ...within, alone: (written.replicas ?? 1) <= 1, shared },
      spot.at('containers', index),
    ),
  )
  const init = writtenInit.map((container, index) => {
    const at = spot.at('init-containers', index)
    const model = buildInit(container, { ...within, alone: (written.replicas ?? 1) <= 1, shared }, at)
    return judged(model, within.context.policy, at)
  })
  const { pallet } = within
  const { policy } = within.context
  const whole = read.map(({ model }, index) => {
    const at = spot.at('containers', index)
    return judged(pallet !== undefined && index === 0 ? underContract(model, pallet, at) : model, policy, at)
  })
  const [head] = whole
  if (head === undefined) return undefined
  const members = withPublishedPorts(
    whole.map((model, index) => (pallet !== undefined && index === 0 ? inPhase('serve', model) : model)),
    written,
    policy,
    spot.at('network'),
  )
  const publishes = [...init, ...members].some(publishesPorts)
  const networks = {
    ...networksOf(
      { environment: within.context.environment, application: within.application, network: within.network },
      written.network,
      publishes,
    ),
    ...present({ aliases: readAliases(written.network, spot.at('network')) }),
  }
  faultHostNetwork(written, [...init, ...members], policy, spot.at('network', 'host'))
  const volumes = mountedVolumes([...init, ...members], within.volumes).map(volume =>
    volumeWithinAllowed(volume, policy),
  )
  const [only, ...others] = members
  if (only === undefined) return undefined
  if (!shared) return { instance: { containers: [only, ...others], ...networks, volumes }, first: head }
  const processes = written['share-pid-namespace'] ?? true
  faultHostNamespaces(written, processes, spot)
  const joined = join(
    {
      image: sandboxImage(within.context),
      init,
      members,
      watched: read.map(({ watched }) => watched),
      timeoutMs: within.strategy.timeoutMs,
    },
    spot.at('containers'),
  )
  const [first, ...more] = joined.members
  if (first === undefined) return undefined
  const instance = {
    sandbox: joined.sandbox,
    ...present({ probed: joined.probed }),
    sharesProcesses: processes,
    ...present({ init: joined.init }),
    containers: [first, ...more] as const,
    ...networks,
    volumes,
  }
  return { instance, first: head }
}
