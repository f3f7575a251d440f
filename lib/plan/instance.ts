import type { Application, Instance, Service } from '../state/application.ts'
import { fingerprintOf, shortFingerprint } from '../state/fingerprint.ts'
import type { LiveContainer } from '../state/live.ts'
import type { Placement, Step } from './step.ts'

/** One instance that runs, or ran: its containers share one number and one fingerprint. */
export type LiveInstance = {
  readonly number: number
  readonly fingerprint: string
  readonly containers: readonly [LiveContainer, ...LiveContainer[]]
}

/** One instance that is to run. */
export type WantedInstance = {
  readonly number: number
  readonly fingerprint: string
  readonly instance: Instance
  readonly containers: readonly { readonly engineName: string; readonly placement: Placement }[]
}

/** The containers of one service as instances, in the order of their numbers. */
export function groupInstances(containers: readonly LiveContainer[]): readonly LiveInstance[] {
  const groups = new Map<string, [LiveContainer, ...LiveContainer[]]>()
  for (const container of containers) {
    const key = `${container.instance} ${container.fingerprint}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [container])
    else group.push(container)
  }
  return [...groups.values()]
    .map(group => ({ number: group[0].instance, fingerprint: group[0].fingerprint, containers: group }))
    .sort((a, b) => a.number - b.number || (a.fingerprint < b.fingerprint ? -1 : 1))
}

/** An instance of a service with its number, its fingerprint and the names its containers get. */
export function wantedInstance(
  environment: string,
  application: Application,
  service: Service,
  instance: Instance,
  number: number,
): WantedInstance {
  const fingerprint = fingerprintOf(
    { environment, application: application.name, service: service.name },
    instance,
  )
  const base = `${environment}.${service.name}.${number}.${shortFingerprint(fingerprint)}`
  const placement: Placement = {
    application: application.name,
    service: service.name,
    instance: number,
    ...(application.version === undefined ? {} : { version: application.version }),
    fingerprint,
    network: instance.network.name,
    aliases: [service.name],
  }
  const alone = instance.containers.length === 1
  const containers = instance.containers.map(({ name }) => ({
    engineName: alone ? base : `${base}.${name}`,
    placement,
  }))
  return { number, fingerprint, instance, containers }
}

/** Everything that must be there before the instance can be created; touches nothing that runs. */
export function prepareSteps(wanted: WantedInstance): readonly Step[] {
  const pulls = wanted.instance.containers.flatMap(({ image }): Step[] =>
    image.pin.state === 'pinned'
      ? [{ do: 'pull-image', reference: image.reference, digest: image.pin.digest }]
      : [],
  )
  const network: Step = { do: 'create-network', network: wanted.instance.network }
  const volumes = wanted.instance.volumes.map((volume): Step => ({ do: 'create-volume', volume }))
  return [...pulls, network, ...volumes]
}

export function createSteps(wanted: WantedInstance): readonly Step[] {
  return wanted.instance.containers.flatMap((spec, index): Step[] => {
    const at = wanted.containers[index]
    return at === undefined
      ? []
      : [{ do: 'create-container', container: at.engineName, placement: at.placement, spec }]
  })
}

export function startSteps(names: readonly string[]): readonly Step[] {
  return names.map(container => ({ do: 'start-container', container }))
}

/** The health gate of an instance. */
export function gateSteps(names: readonly string[], service: Service): readonly Step[] {
  const { healthyMs, timeoutMs } = service.strategy
  return names.map(container => ({ do: 'await-healthy', container, healthyMs, timeoutMs }))
}

export function stopSteps(names: readonly string[]): readonly Step[] {
  return names.map(container => ({ do: 'stop-container', container }))
}

export function removeSteps(names: readonly string[]): readonly Step[] {
  return names.map(container => ({ do: 'remove-container', container }))
}

export function namesOf(instance: WantedInstance | LiveInstance): readonly string[] {
  return instance.containers.map(({ engineName }) => engineName)
}

/** Whether anything of the instance runs, or is paused in the middle of it: it may hold what another one needs. */
export function isUp(instance: LiveInstance): boolean {
  return instance.containers.some(
    ({ state }) => state === 'running' || state === 'restarting' || state === 'paused',
  )
}

/** Somebody paused it: it cannot be started, and starting it is not what it waits for. */
export function isPaused(instance: LiveInstance): boolean {
  return instance.containers.some(({ state }) => state === 'paused')
}

/** Whether every container of the instance runs. */
export function isRunning(instance: LiveInstance): boolean {
  return instance.containers.every(({ state }) => state === 'running' || state === 'restarting')
}
