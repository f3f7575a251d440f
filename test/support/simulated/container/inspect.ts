import { shownMount } from '../config.ts'
import { gatewayOf } from '../network/networks.ts'
import { portMap } from '../network/ports.ts'
import { never } from '../server/moment.ts'
import type { Container, Endpoint, Exec } from './container.ts'

/** Returns a container as the engine shows it. */
export function inspected(container: Container): object {
  const { id, name, created, image, config, hostConfig, mounts, restarts } = container
  const [Path = '', ...Args] = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])]
  return {
    ...{ Id: id, Created: created.text, Path, Args, State: shownState(container), Image: image.id },
    ...{ ResolvConfPath: '', HostnamePath: '', HostsPath: '', LogPath: '' },
    ...{ Name: `/${name}`, RestartCount: restarts, Driver: 'overlay2', Platform: 'linux' },
    ...{ MountLabel: '', ProcessLabel: '', AppArmorProfile: '', ExecIDs: null },
    ...{ HostConfig: hostConfig, Mounts: mounts.map(shownMount), Config: config },
    NetworkSettings: {
      ...{ Bridge: '', SandboxID: '', SandboxKey: '', Ports: portMap(container) },
      Networks: Object.fromEntries(
        [...container.endpoints].map(([network, one]) => [network, shownEndpoint(container, one)]),
      ),
    },
  }
}

function shownState({ state, health }: Container): object {
  const { status, exitCode, error, startedAt, finishedAt } = state
  const isUp = status === 'running' || status === 'paused'
  return {
    Status: status,
    Running: isUp || status === 'restarting',
    Paused: status === 'paused',
    Restarting: status === 'restarting',
    ...{ OOMKilled: false, Dead: status === 'dead', Pid: isUp ? 4_711 : 0, ExitCode: exitCode, Error: error },
    StartedAt: startedAt?.text ?? never,
    FinishedAt: finishedAt?.text ?? never,
    ...(health === undefined
      ? {}
      : {
          Health: {
            Status: health.status,
            FailingStreak: health.failures,
            Log: health.log.map(({ start, end, exitCode, output }) => ({
              ...{ Start: start.text, End: end.text, ExitCode: exitCode, Output: output },
            })),
          },
        }),
  }
}

/** Returns how a container is attached to a network. Lists leave out the aliases. */
export function shownEndpoint(
  { id }: Container,
  { aliases, chosen, networkId, network }: Endpoint,
  isList = false,
) {
  const { endpointId = '', address = '', mac = '' } = network?.members.get(id) ?? {}
  return {
    IPAMConfig: chosen === undefined ? null : { IPv4Address: chosen },
    ...{ Links: null, Aliases: isList ? null : aliases, NetworkID: networkId, EndpointID: endpointId },
    Gateway: network === undefined ? '' : gatewayOf(network),
    ...{ IPAddress: address, IPPrefixLen: network?.subnet?.prefix ?? 0, IPv6Gateway: '' },
    ...{ GlobalIPv6Address: '', GlobalIPv6PrefixLen: 0, MacAddress: mac, DriverOpts: null },
  }
}

/** Returns a program that was executed in a container as the engine shows it. */
export function shownExec({ id, command, container, exitCode }: Exec): object {
  const [entrypoint = '', ...args] = command
  return {
    ...{ ID: id, Running: false, ExitCode: exitCode },
    ProcessConfig: { tty: false, entrypoint, arguments: args, privileged: false },
    ...{ OpenStdin: false, OpenStderr: true, OpenStdout: true, CanRemove: false },
    ...{ ContainerID: container.id, DetachKeys: '', Pid: 0 },
  }
}
