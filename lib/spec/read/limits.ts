import type { Container as Model, Ulimit } from '../../state/application/container/container.ts'
import type { Limits as Updatable } from '../../state/running/settings.ts'
import type { Container } from '../application.gen.ts'
import { parseBytes } from '../grammar/bytes.ts'
import { parseCpus, parseCpuset } from '../grammar/cpus.ts'
import { present } from '../present.ts'
import type { Spot } from '../spot.ts'

/** The most that a container may use. */
export type ContainerLimits = Omit<Updatable, 'restart'> &
  Pick<Model, 'oomScoreAdj' | 'shmSizeBytes' | 'ulimits'>

/** Reads memory, CPUs, processes, `shm_size` and `ulimits`, within what the engine accepts. */
export function readLimits(written: Container, spot: Spot): ContainerLimits {
  const { cpus, cpuset, pids_limit: pids, shm_size: shm, ulimits } = written
  if (pids === 0) spot.at('pids_limit').fault('is 0; write -1 for no limit')
  return present({
    ...readMemory(written, spot),
    nanoCpus: cpus === undefined ? undefined : spot.at('cpus').take(parseCpus(cpus)),
    cpuset:
      cpuset === undefined ? undefined : spot.at('cpuset').take(parseCpuset(spot.at('cpuset').text(cpuset))),
    cpuShares: written.cpu_shares,
    pidsLimit: pids,
    // The engine gives 0 to every container.
    oomScoreAdj: written.oom_score_adj === 0 ? undefined : written.oom_score_adj,
    shmSizeBytes: shm === undefined ? undefined : spot.at('shm_size').take(parseBytes(shm)),
    ulimits: ulimits === undefined ? undefined : readUlimits(ulimits, spot.at('ulimits')),
  })
}

/** The least memory that engines take, in bytes. */
export const leastMemory = 6 * 1024 * 1024

function readMemory(
  written: Container,
  spot: Spot,
): Pick<ContainerLimits, 'memoryBytes' | 'memoryReservationBytes' | 'memorySwapBytes'> {
  const { mem_limit: memory, mem_reservation: reservation, memswap_limit: swap } = written
  const memoryBytes = memory === undefined ? undefined : spot.at('mem_limit').take(parseBytes(memory))
  if (memoryBytes !== undefined && memoryBytes < leastMemory)
    spot.at('mem_limit').fault('is less than 6m, the least the engine takes')
  const at = spot.at('mem_reservation')
  const memoryReservationBytes = reservation === undefined ? undefined : at.take(parseBytes(reservation))
  if (memoryReservationBytes !== undefined && memoryReservationBytes < leastMemory)
    at.fault('is less than 6m, the least the engine takes')
  if (memoryReservationBytes !== undefined && memoryReservationBytes > (memoryBytes ?? Infinity))
    at.fault('is more than mem_limit, which nobody can reserve')
  return present({
    memoryBytes,
    memoryReservationBytes,
    memorySwapBytes: swap === undefined ? undefined : readSwap(swap, memoryBytes, spot.at('memswap_limit')),
  })
}

/** Returns undefined for 0, by which Compose means the engine's own choice. */
function readSwap(written: string | number, memoryBytes: number | undefined, spot: Spot): number | undefined {
  const text = String(written)
  if (text === '0') return undefined
  if (memoryBytes === undefined) spot.fault('needs mem_limit, as it is memory and swap together')
  if (text === '-1') return -1
  const bytes = spot.take(parseBytes(written))
  if (bytes !== undefined && bytes < (memoryBytes ?? 0))
    spot.fault('is less than mem_limit; it is memory and swap together')
  return bytes
}

function readUlimits(written: NonNullable<Container['ulimits']>, spot: Spot): readonly Ulimit[] {
  return ulimitNames.flatMap(name => {
    const limit = written[name]
    if (limit === undefined) return []
    const { soft, hard } = typeof limit === 'number' ? { soft: limit, hard: limit } : limit
    if (hard !== -1 && (soft === -1 || soft > hard))
      spot.at(name).fault('has a soft limit above the hard one')
    if (hard === 0 && withoutStart.includes(name)) spot.at(name).fault('is 0, with which no program starts')
    return [{ name, soft, hard }]
  })
}

const withoutStart = ['cpu', 'data', 'nofile']

/** In alphabetical order, so that another order is no difference. */
const ulimitNames = [
  'core',
  'cpu',
  'data',
  'fsize',
  'locks',
  'memlock',
  'msgqueue',
  'nice',
  'nofile',
  'nproc',
  'rss',
  'rtprio',
  'rttime',
  'sigpending',
  'stack',
] as const
