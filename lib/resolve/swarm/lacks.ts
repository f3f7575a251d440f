import type { Container, File, Mount } from '../../state/application/container/container.ts'
import type { SwarmOptions } from '../../state/application/swarm/swarm-service.ts'
import { Secret } from '../../state/secret/secret.ts'
import { reveal } from '../../state/secret/text.ts'

/** Keys of a container that services of a Swarm do not have, as users know them. */
const unknownKeys: readonly (readonly [key: keyof Container, words: string])[] = [
  ['handlers', 'has programs that run around its main one'],
  ['imageEnv', 'has no variables of its image'],
  ['metadata', 'asks the metadata service'],
  [
    'liveness',
    'has a startup or liveness probe with a command: use "healthcheck", because a Swarm replaces a task whose health check fails',
  ],
  ['mayEnd', 'may run to its end'],
  ['privileged', 'is privileged'],
  ['pid', "sees the host's processes"],
  ['ipc', "sees the host's shared memory"],
  ['securityOpt', 'has security options'],
  ['systemCalls', 'chooses its system calls'],
  ['devices', 'has devices'],
  ['shmSizeBytes', 'sets the size of its shared memory'],
  ['memorySwapBytes', 'limits swap'],
  ['cpuset', 'chooses its CPUs'],
  ['cpuShares', 'has CPU shares'],
  ['oomScoreAdj', 'has an OOM score'],
]

/** Returns all that a container needs and a Swarm cannot give it, in words that follow the name of its service. */
export function lackOf(container: Container, options: SwarmOptions): readonly string[] {
  const { image, mounts = [], files = [], user = '' } = container
  return [
    image.pin.state === 'unverified'
      ? ['runs an image that no registry has: the nodes of a Swarm get it by its digest']
      : [],
    user.includes('/') ? ['takes the owner of a file as its user'] : [],
    mounts.flatMap(lackOfMount),
    files.flatMap(lackOfFile),
    lackOfSettings(container, options),
  ].flat()
}

/**
 * Returns what a Swarm cannot give of a container's settings, whatever it runs. Where an instance has a sandbox, some of
 * them are the sandbox's.
 */
export function lackOfSettings(container: Container, options: SwarmOptions): readonly string[] {
  const { ports = [] } = container
  return [
    unknownKeys.flatMap(([key, words]) =>
      container[key] === undefined || container[key] === false ? [] : [words],
    ),
    ports.some(({ hostIp }) => hostIp !== undefined) ? ['publishes a port on one address'] : [],
    options.endpoint === 'dnsrr' && options.publish === 'ingress' && ports.length > 0
      ? ['publishes a port, which needs "publishMode: host" beside "endpointMode: dnsrr"']
      : [],
  ].flat()
}

/** The most bytes of a config; a secret holds half of it. */
const mostBytes = 1_024_000

function lackOfFile({ path, content }: File): readonly string[] {
  if (content instanceof Secret && !content.isKnown) return []
  const bytes = Buffer.byteLength(reveal(content))
  if (bytes === 0) return [`has an empty file, ${path}, which a Swarm cannot keep`]
  const most = content instanceof Secret ? mostBytes / 2 : mostBytes
  return bytes < most ? [] : [`has a file, ${path}, that is too large for a Swarm`]
}

function lackOfMount(mount: Mount): readonly string[] {
  if (mount.kind === 'ephemeral' && mount.root !== undefined) return ['has a volume with an owner of its own']
  if (mount.kind === 'tmpfs' && (mount.uid ?? mount.gid ?? mount.exec) !== undefined)
    return ['has an in-memory directory with an owner, or from which programs run']
  // A symlink that leads out of it cannot be seen on all nodes.
  if (mount.kind === 'host' && mount.within !== undefined && mount.within !== mount.source)
    return ['mounts a directory below an allowed one, which cannot be checked on all nodes']
  return []
}
