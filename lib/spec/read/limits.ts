import type { Container as Model, Ulimit } from '../../state/container.ts'
import type { Container } from '../application.gen.ts'
import { parseBytes } from '../grammar/bytes.ts'
import { parseCpus } from '../grammar/cpus.ts'
import { present } from '../present.ts'
import type { Spot } from '../spot.ts'

/** What a container may use at most. */
export type Limits = Pick<Model, 'memoryBytes' | 'nanoCpus' | 'pidsLimit' | 'shmSizeBytes' | 'ulimits'>

/** `mem_limit`, `cpus`, `pids_limit`, `shm_size` and `ulimits`, within what the engine takes. */
export function readLimits(written: Container, spot: Spot): Limits {
  const { mem_limit: memory, cpus, pids_limit: pids, shm_size: shm, ulimits } = written
  const memoryBytes = memory === undefined ? undefined : spot.at('mem_limit').take(parseBytes(memory))
  if (memoryBytes !== undefined && memoryBytes < leastMemory)
    spot.at('mem_limit').fault('is less than 6m, the least the engine takes')
  if (pids === 0) spot.at('pids_limit').fault('is 0; write -1 for no limit')
  return present({
    memoryBytes,
    nanoCpus: cpus === undefined ? undefined : spot.at('cpus').take(parseCpus(cpus)),
    pidsLimit: pids,
    shmSizeBytes: shm === undefined ? undefined : spot.at('shm_size').take(parseBytes(shm)),
    ulimits: ulimits === undefined ? undefined : readUlimits(ulimits, spot.at('ulimits')),
  })
}

const leastMemory = 6 * 1024 * 1024

function readUlimits(written: NonNullable<Container['ulimits']>, spot: Spot): readonly Ulimit[] {
  return ulimitNames.flatMap(name => {
    const limit = written[name]
    if (limit === undefined) return []
    const { soft, hard } = typeof limit === 'number' ? { soft: limit, hard: limit } : limit
    if (hard !== -1 && (soft === -1 || soft > hard))
      spot.at(name).fault('has a soft limit above the hard one')
    return [{ name, soft, hard }]
  })
}

/** In alphabetical order: writing them in another is no difference. */
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
