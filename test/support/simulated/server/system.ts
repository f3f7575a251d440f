import type { Daemon } from '../container/container.ts'

const architecture = process.arch === 'x64' ? 'amd64' : process.arch

/** Returns the answer to `GET /version`. */
export function version({ identity }: Daemon): object {
  const told = { ApiVersion: identity.apiVersion, MinAPIVersion: '1.12', Os: 'linux', Arch: architecture }
  return {
    Platform: { Name: '' },
    Components: [{ Name: 'Engine', Version: identity.version, Details: told }],
    Version: identity.version,
    ...told,
    KernelVersion: '6.1.0',
  }
}

/** Returns the answer to `GET /info`. */
export function info({ identity, containers, images, now, swarm }: Daemon): object {
  const count = (...statuses: readonly string[]) =>
    [...containers.values()].filter(({ state }) => statuses.includes(state.status)).length
  return {
    ...{ ID: identity.id, Name: identity.name, ServerVersion: identity.version, SystemTime: now().text },
    ...{
      Containers: containers.size,
      ContainersRunning: count('running'),
      ContainersPaused: count('paused'),
    },
    ...{ ContainersStopped: count('created', 'exited'), Images: images.list().length, Driver: 'overlay2' },
    ...{
      MemoryLimit: true,
      SwapLimit: true,
      PidsLimit: true,
      CpuCfsQuota: true,
      CPUShares: true,
      CPUSet: true,
    },
    ...{ OSType: 'linux', Architecture: process.arch === 'x64' ? 'x86_64' : 'aarch64', NCPU: 2 },
    ...(swarm === undefined
      ? { Swarm: { NodeID: '', LocalNodeState: 'inactive', ControlAvailable: false } }
      : { Swarm: { NodeID: swarm.nodeId, LocalNodeState: 'active', ControlAvailable: true } }),
    ...{ LoggingDriver: 'json-file', CgroupVersion: '2', LiveRestoreEnabled: false, Labels: [] },
  }
}
