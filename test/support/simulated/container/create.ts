import { lstatSync } from 'node:fs'
import {
  type CreateBody,
  type HostConfig,
  type MountBody,
  type MountPoint,
  mergeConfig,
  mergeHostConfig,
} from '../config.ts'
import { createFiles, type Tree } from '../image/files.ts'
import type { Image } from '../image/images.ts'
import { newId } from '../server/ids.ts'
import { conflict, missing, Refusal } from '../server/refusal.ts'
import type { VolumeBody } from '../volumes.ts'
import { networkOf } from './attach.ts'
import { type Container, type Daemon, type Endpoint, findContainer, isUp, tell } from './container.ts'
import { killNow } from './stop.ts'

export type CreateQuery = { readonly name: string; readonly platform: string }

/** Creates a container, with the volumes that it needs and that do not exist. */
export function create(daemon: Daemon, { name: asked, platform }: CreateQuery, body: CreateBody): Container {
  const name = asked || `nameless_${newId().slice(0, 8)}`
  mayBeCalled(daemon, name)
  const image = daemon.images.get(body.Image ?? '')
  if (platform !== '' && platform !== image.platform)
    throw missing(
      `image with reference ${body.Image} was found but does not match the specified platform: wanted ${platform}, actual: ${image.platform}`,
    )
  const id = newId()
  const config = mergeConfig(id, body, image)
  if ((config.Entrypoint ?? []).length + (config.Cmd ?? []).length === 0)
    throw new Refusal(400, 'No command specified')
  mayShare(body)
  const hostConfig = resolved(daemon, mergeHostConfig(body.HostConfig))
  const mounts = mountsOf(daemon, hostConfig, config.Volumes ?? {})
  const container: Container = {
    ...{ id, name, created: daemon.now(), image, config, hostConfig, mounts },
    files: filesOf(daemon, image, mounts),
    state: { status: 'created', exitCode: 0, error: '', startedAt: undefined, finishedAt: undefined },
    ...{ restarts: 0, starts: 0, isStoppedByHand: false, log: [], ports: [] },
    ...{ health: undefined, process: undefined, cancelCheck: () => {}, cancelRestart: () => {} },
    endpoints: endpointsOf(hostConfig, body),
    onEnd: new Set(),
  }
  for (const { type, source } of mounts) if (type === 'volume') daemon.volumes.get(source).users.add(id)
  daemon.containers.set(id, container)
  tell(daemon, container, 'create')
  return container
}

/** Throws unless a container may get this name. */
export function mayBeCalled(daemon: Daemon, name: string): void {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/.test(name))
    throw new Refusal(400, `Invalid container name (${name}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`)
  const holder = [...daemon.containers.values()].find(one => one.name === name)
  if (holder !== undefined)
    throw conflict(
      `Conflict. The container name "/${name}" is already in use by container "${holder.id}". You have to remove (or rename) that container to be able to reuse that name.`,
    )
}

/** Throws if a container that shares the network of another is to have something of its own there. */
function mayShare({ Hostname, ExposedPorts, HostConfig }: CreateBody): void {
  if (!HostConfig?.NetworkMode?.startsWith('container:')) return
  const refused = [
    ['hostname and the network mode', Hostname],
    ['dns and the network mode', HostConfig['Dns']],
    ['custom host-to-IP mapping and the network mode', HostConfig['ExtraHosts']],
    ['port publishing and the container type network mode', HostConfig.PortBindings],
    ['port exposing and the container type network mode', ExposedPorts],
  ] as const
  for (const [words, value] of refused)
    if (value != null && Object.keys(value).length > 0)
      throw new Refusal(400, `conflicting options: ${words}`)
}

/** The engine remembers a container whose namespaces are shared by its id. */
function resolved(daemon: Daemon, hostConfig: HostConfig): HostConfig {
  const idOf = (mode: string) => {
    if (!mode.startsWith('container:')) return mode
    const text = mode.slice('container:'.length)
    const other = findContainer(daemon, text)
    if (other === undefined) throw missing(`No such container: ${text}`)
    return `container:${other.id}`
  }
  const { NetworkMode, IpcMode, PidMode } = hostConfig
  return { ...hostConfig, NetworkMode: idOf(NetworkMode), IpcMode: idOf(IpcMode), PidMode: idOf(PidMode) }
}

function mountsOf(
  daemon: Daemon,
  { Mounts = [] }: HostConfig,
  volumes: Readonly<Record<string, object>>,
): readonly MountPoint[] {
  for (const { Type, Source = '' } of Mounts)
    if (Type === 'bind' && lstatSync(Source, { throwIfNoEntry: false }) === undefined)
      throw new Refusal(
        400,
        `invalid mount config for type "bind": bind source path does not exist: ${Source}`,
      )
  const asked = Mounts.map(({ Type, Source = '', Target, ReadOnly = false, VolumeOptions }): MountPoint => {
    const isAnonymous = Type === 'volume' && Source === ''
    const source =
      Type === 'volume' ? daemon.volumes.create({ ...madeAs(VolumeOptions), Name: Source }).name : Source
    return { type: Type, source, target: Target.replace(/(?<=.)\/$/, ''), isReadOnly: ReadOnly, isAnonymous }
  })
  const ofImage = Object.keys(volumes)
    .filter(path => !asked.some(({ target }) => target === path))
    .map((target): MountPoint => {
      const source = daemon.volumes.create({}).name
      return { type: 'volume', source, target, isReadOnly: false, isAnonymous: true }
    })
  return [...asked, ...ofImage]
}

/** How a volume is made that does not exist. */
function madeAs({
  Labels = {},
  DriverConfig: { Name, Options } = {},
}: MountBody['VolumeOptions'] = {}): VolumeBody {
  return {
    Labels,
    ...(Name === undefined ? {} : { Driver: Name }),
    ...(Options === undefined ? {} : { DriverOpts: Options }),
  }
}

function filesOf(daemon: Daemon, image: Image, mounts: readonly MountPoint[]): Container['files'] {
  const trees = new Map<string, Tree>(
    mounts
      .filter(({ type }) => type !== 'bind')
      .map(({ type, source, target }) => [
        target,
        type === 'volume' ? daemon.volumes.get(source).tree : new Map(),
      ]),
  )
  const files = createFiles(trees)
  for (const [path, text] of Object.entries(image.files))
    files.put(path, {
      ...{ kind: 'file', content: Buffer.from(text), mode: 0o755, uid: 0, gid: 0 },
      ...image.owners[path],
    })
  for (const name of Object.keys(image.behaves.programs ?? {}))
    files.put(`/bin/${name}`, { kind: 'file', content: Buffer.from(''), mode: 0o755, uid: 0, gid: 0 })
  for (const [path, to] of Object.entries(image.links))
    files.put(path, { kind: 'link', to, mode: 0o777, uid: 0, gid: 0 })
  return files
}

function endpointsOf({ NetworkMode }: HostConfig, { NetworkingConfig }: CreateBody): Map<string, Endpoint> {
  if (NetworkMode.startsWith('container:')) return new Map()
  const asked = Object.entries(NetworkingConfig?.EndpointsConfig ?? {})
  const all = asked.length === 0 ? [[networkOf(NetworkMode), null] as const] : asked
  return new Map(
    all.map(([name, body]) => [
      networkOf(name),
      {
        aliases: body?.Aliases ?? null,
        chosen: body?.IPAMConfig?.IPv4Address,
        networkId: '',
        network: undefined,
      },
    ]),
  )
}

/** Removes a container; with `withVolumes` also its volumes without a name. */
export function remove(
  daemon: Daemon,
  container: Container,
  { isForced, withVolumes }: { readonly isForced: boolean; readonly withVolumes: boolean },
): void {
  const { id, mounts, state } = container
  if (!isForced && (isUp(container) || state.status === 'restarting'))
    throw conflict(
      state.status === 'paused'
        ? `You cannot remove a paused container ${id}. Unpause and then stop the container before attempting removal or force remove`
        : `You cannot remove a ${state.status} container ${id}. Stop the container before attempting removal or force remove`,
    )
  killNow(daemon, container)
  container.cancelCheck()
  container.cancelRestart()
  daemon.containers.delete(id)
  for (const exec of daemon.execs.values()) if (exec.container === container) daemon.execs.delete(exec.id)
  for (const { type, source, isAnonymous } of mounts) {
    if (type !== 'volume') continue
    daemon.volumes.get(source).users.delete(id)
    if (withVolumes && isAnonymous) daemon.volumes.remove(source)
  }
  tell(daemon, container, 'destroy')
}
