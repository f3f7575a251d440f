import { keepOnce } from '../../memo/keep-once.ts'
import type { Limits, Settings } from '../../state/running/settings.ts'
import { aliasesOf } from '../container/attachment.ts'
import type { Inspected } from '../container/inspect/inspect.ts'

/** A service has the same ones on all sites. */
const kept = keepOnce<Settings>()

/**
 * Returns the limits of a container on the engine. A limit that the engine does not keep, as with some kernels, is left
 * out, because an update cannot set it.
 */
export function settingsIn(now: Inspected): Settings {
  const networks = Object.entries(now.NetworkSettings.Networks ?? {})
  return kept({
    limits: limitsIn(now),
    aliases: Object.fromEntries(networks.map(([name, endpoint]) => [name, aliasesOf(now, endpoint)])),
  })
}

function limitsIn({ HostConfig }: Inspected): Limits {
  const { Memory, MemoryReservation, MemorySwap, NanoCpus, CpusetCpus, CpuShares, PidsLimit } = HostConfig
  const { Name, MaximumRetryCount } = HostConfig.RestartPolicy
  return {
    restart: {
      name: Name === '' ? 'no' : Name,
      ...(MaximumRetryCount > 0 ? { maxRetries: MaximumRetryCount } : {}),
    },
    ...(Memory === 0 ? {} : { memoryBytes: Memory }),
    ...(MemoryReservation === 0 ? {} : { memoryReservationBytes: MemoryReservation }),
    ...(MemorySwap <= 0 ? {} : { memorySwapBytes: MemorySwap }),
    ...(NanoCpus === 0 ? {} : { nanoCpus: NanoCpus }),
    ...(CpusetCpus === '' ? {} : { cpuset: CpusetCpus }),
    ...(CpuShares === 0 ? {} : { cpuShares: CpuShares }),
    ...(PidsLimit == null ? {} : { pidsLimit: PidsLimit }),
  }
}
