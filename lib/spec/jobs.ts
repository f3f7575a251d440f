import type { Instance, Job } from '../state/application/application.ts'
import type { Container, File, Mount } from '../state/application/container/container.ts'
import { toldToHook } from '../state/application/container/told-variables.ts'
import type { Text } from '../state/secret/secret.ts'
import { isWithin } from '../text/in-directory.ts'
import type { Container as WrittenContainer } from './application.gen.ts'
import { parsePath } from './grammar/path.ts'
import { present } from './present.ts'
import type { Hook } from './read/hooks.ts'
import { type Nameable, substitutePlain } from './read/value/dollars.ts'
import { isVariableName } from './read/value/pairs.ts'
import { readValue } from './read/value/value.ts'

/** The service that jobs are made for. */
export type Served = {
  readonly environmentName: string
  readonly application: string
  readonly service: string
  readonly containers: readonly WrittenContainer[]
  readonly instance: Instance
  /** Volumes that the container mounts implicitly, by path. */
  readonly implicit: ReadonlyMap<string, string>
  readonly known: Nameable
}

/** Returns the jobs for the hooks of a service. A hook for a container that the service lacks is a fault (H26). */
export function hookJobs(hooks: readonly Hook[], served: Served): readonly Job[] {
  return hooks.flatMap(hook => {
    const container = hookContainer(hook, served)
    if (container === undefined) return []
    const { stage, onFailure, timeoutMs } = hook
    return [{ ...jobIn(served.instance, stage, container), onFailure, timeoutMs }]
  })
}

/** Returns a job in its container, on the networks of the service and with the volumes that the container mounts. */
export function jobIn(
  { network, attachments, volumes }: Instance,
  stage: Job['stage'],
  container: Container,
): Pick<Job, 'stage' | 'container' | 'network' | 'attachments' | 'volumes'> {
  const mounted = new Set(container.mounts?.map(mount => (mount.kind === 'volume' ? mount.volume : '')))
  return {
    stage,
    container,
    network,
    ...present({ attachments }),
    volumes: volumes.filter(({ name }) => mounted.has(name)),
  }
}

/**
 * Returns a container of the service as the container of a job. It publishes nothing, has no health check, is not
 * restarted by itself, and is found by none of its labels or names. Everything else, including its privileges and
 * limits, stays (H21).
 */
export function jobContainer(stage: Job['stage'], container: Container, { sandbox }: Instance): Container {
  const { dns, dnsSearch, dnsOptions, extraHosts, sysctls, shmSizeBytes } = sandbox ?? {}
  return {
    ...present({ dns, dnsSearch, dnsOptions, extraHosts, sysctls, shmSizeBytes }),
    ...present({ ...container, ...left, mounts: container.mounts?.map(alone), needs: ofJob(container) }),
    name: stage,
    image: container.image,
    restart: { name: 'no' },
    stopGraceMs: 10_000,
    healthcheck: { kind: 'none' },
  }
}

const left = {
  ports: undefined,
  liveness: undefined,
  handlers: undefined,
  mayEnd: undefined,
  labels: undefined,
  hostname: undefined,
  stopSignal: undefined,
  // Nobody types into a job.
  tty: undefined,
  stdinOpen: undefined,
}

/** A job runs another program. */
function ofJob({ needs }: Container): Container['needs'] {
  if (needs === undefined) return undefined
  const { program: _, ...rest } = needs
  return present(rest)
}

/** What the containers of an instance share, a job has for itself. */
function alone(mount: Mount): Mount {
  return mount.kind === 'ephemeral' ? { kind: 'ephemeral', path: mount.path } : mount
}

/**
 * Returns the container that the hook names, with the hook's own command and environment (H8). `command` is the
 * entrypoint and `args` the command. A hook with only `args` keeps the container's entrypoint.
 */
function hookContainer(hook: Hook, served: Served): Container | undefined {
  const { stage, exec, spot } = hook
  const written = served.containers.find(({ name }) => name === exec.containerName)
  const container = served.instance.containers.find(({ name }) => name === exec.containerName)
  if (written === undefined || container === undefined) {
    spot.at('containerName').fault(`"${exec.containerName}" is no container of the service ${served.service}`)
    return undefined
  }
  const { entrypoint, command: _, mounts, files, ...rest } = jobContainer(stage, container, served.instance)
  const words = (key: 'command' | 'args') =>
    exec[key]?.map((text, index) => substitutePlain(text, served.known, spot.at(key, index)))
  const listed = listedOnly(placesOf(written, served.implicit), exec.volumes ?? [])
  return {
    ...rest,
    ...present({
      entrypoint: present({ command: words('command') }).command ?? entrypoint,
      command: words('args'),
      mounts: mounts?.filter(listed.mount),
      files: files?.filter(listed.file),
    }),
    env: {
      ...rest.env,
      ...hookEnvironment(hook, served.known),
      ...toldToHook({
        application: served.application,
        service: served.service,
        environment: served.environmentName,
        hook: stage,
      }),
    },
  }
}

/** Returns where the container mounts a volume, or a file of it. */
function placesOf(
  { mounts = [] }: WrittenContainer,
  implicit: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const places = mounts.flatMap(mount =>
    [mount['mount-path'], ...(mount.files ?? []).map(file => file['mount-path'])].flatMap(text => {
      const path = text === undefined ? undefined : parsePath(text)
      return path?.ok ? [[path.value, mount['volume-name']] as const] : []
    }),
  )
  return new Map([...places, ...implicit])
}

/**
 * Returns what a container mounts of the listed volumes. A listed volume that it does not mount is ignored (H8).
 * In-memory directories of the container itself are no volumes, so it keeps them.
 */
function listedOnly(
  places: ReadonlyMap<string, string>,
  listed: readonly string[],
): { readonly mount: (mount: Mount) => boolean; readonly file: (file: File) => boolean } {
  const paths = [...places.keys()].sort((a, b) => b.length - a.length)
  const isListed = (volume: string | undefined) => volume === undefined || listed.includes(volume)
  return {
    mount: ({ path }) => isListed(places.get(path)),
    file: ({ path }) => isListed(places.get(paths.find(above => isWithin(path, above)) ?? '')),
  }
}

function hookEnvironment({ exec, spot }: Hook, known: Nameable): Readonly<Record<string, Text>> {
  const at = spot.at('env')
  const env = new Map<string, Text>()
  const entries = Array.isArray(exec.env)
    ? exec.env.map(({ name, value }, index) => ({ name, value, spot: at.at(index), key: 'value' }))
    : Object.entries(exec.env ?? {}).map(([name, value]) => ({ name, value, spot: at, key: name }))
  for (const { name, value, spot, key } of entries) {
    if (!isVariableName(name)) spot.fault(`has "${name}", which is no name of a variable`)
    if (env.has(name)) spot.fault(`sets ${name} a second time`)
    const text = readValue(value, known, spot, key)
    if (text !== undefined) env.set(name, text)
  }
  return Object.fromEntries(env)
}
