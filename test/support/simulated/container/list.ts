import { shownMount } from '../config.ts'
import { shownPorts } from '../network/ports.ts'
import { type Filters, hasLabels, matchesAny } from '../server/filters.ts'
import { durationInWords } from '../server/moment.ts'
import { type Container, type Daemon, isUp } from './container.ts'
import { shownEndpoint } from './inspect.ts'

/** Lists containers, the newest first: those that run, or with `isAll`, or a filter for a state, all. */
export function listed(daemon: Daemon, filters: Filters, isAll: boolean): readonly object[] {
  const all = [...daemon.containers.values()].toReversed()
  const isLive = (one: Container) => isUp(one) || one.state.status === 'restarting'
  return all
    .filter(one => (isAll || filters['status'] !== undefined || isLive(one)) && isMeant(one, filters))
    .map(one => shown(daemon, one))
}

function isMeant(container: Container, filters: Filters): boolean {
  const { id, name, state, config, endpoints, ports, health, mounts } = container
  return (
    hasLabels(config.Labels, filters) &&
    matchesAny(filters, 'id', wanted => id.startsWith(wanted)) &&
    matchesAny(filters, 'name', wanted => new RegExp(wanted).test(`/${name}`)) &&
    matchesAny(filters, 'status', wanted => state.status === wanted) &&
    matchesAny(filters, 'health', wanted => (health?.status ?? 'none') === wanted) &&
    matchesAny(filters, 'publish', wanted =>
      ports.some(one => String(one.publicPort) === wanted.split('/')[0]),
    ) &&
    matchesAny(filters, 'volume', wanted =>
      mounts.some(({ source, target }) => source === wanted || target === wanted),
    ) &&
    matchesAny(filters, 'network', wanted =>
      [...endpoints].some(([network, { networkId }]) => network === wanted || networkId === wanted),
    )
  )
}

function shown(daemon: Daemon, container: Container): object {
  const { id, name, image, config, hostConfig, created, state, endpoints, mounts } = container
  // A reference that has come to mean another image is of no use.
  const isStillThat = daemon.images.find(config.Image) === image
  return {
    ...{ Id: id, Names: [`/${name}`], Image: isStillThat ? config.Image : image.id, ImageID: image.id },
    Command: [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])].join(' '),
    ...{ Created: Math.floor(created.ms / 1000), Ports: shownPorts(container, isUp(container)) },
    ...{ Labels: config.Labels, State: state.status, Status: statusOf(daemon, container) },
    HostConfig: { NetworkMode: hostConfig.NetworkMode },
    NetworkSettings: {
      Networks: Object.fromEntries(
        [...endpoints].map(([network, one]) => [network, shownEndpoint(container, one, true)]),
      ),
    },
    Mounts: mounts.map(shownMount),
  }
}

/** Returns the state of a container in the words of the list: `Up 5 seconds (healthy)`. */
function statusOf(daemon: Daemon, { state, health }: Container): string {
  const { status, exitCode, startedAt, finishedAt } = state
  const since = (ms = 0) => durationInWords(daemon.clock.nowMs() - ms)
  switch (status) {
    case 'created':
      return 'Created'
    case 'running':
      return `Up ${since(startedAt?.ms)}${healthOf(health?.status)}`
    case 'paused':
      return `Up ${since(startedAt?.ms)} (Paused)`
    case 'restarting':
      return `Restarting (${exitCode}) ${since(finishedAt?.ms)} ago`
    case 'exited':
      return `Exited (${exitCode}) ${since(finishedAt?.ms)} ago`
    case 'removing':
      return 'Removal In Progress'
    case 'dead':
      return 'Dead'
  }
}

function healthOf(status: string | undefined): string {
  if (status === undefined) return ''
  return status === 'starting' ? ' (health: starting)' : ` (${status})`
}
