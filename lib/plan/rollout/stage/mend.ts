import type { Service } from '../../../state/application/application.ts'
import { hasRun } from '../../../state/running/has-run.ts'
import { limitsOf } from '../../compare/drift/alterations.ts'
import type { Fault, Standstill } from '../../compare/drift/faults.ts'
import { createStep, type LiveInstance, type WantedContainer } from '../../compare/instance/instance.ts'
import type { Step } from '../../step/step.ts'
import type { Stages } from '../rollout.ts'
import { abreast, stagesOf, startStages } from './stages.ts'
import { drainSteps, leaveGateSteps, shutOutSteps } from './traffic-steps.ts'

/**
 * Attaches what lost its network or its name there, undoes changes to running containers, and tells the metadata
 * service of pods that it does not know.
 */
export function reconnectSteps(faults: readonly Fault[]): readonly Step[] {
  return faults.flatMap(({ what, wanted, container: { engineName: container } }): Step[] => {
    switch (what.is) {
      case 'detached':
      case 'nameless': {
        const { placement } = wanted.containers[0] ?? {}
        const isOwn = what.network.name === wanted.instance.network.name
        const aliases = isOwn ? (placement?.aliases ?? []) : []
        return [{ do: 'connect-network', container, network: what.network.name, aliases }]
      }
      case 'unreached':
        return [
          {
            do: 'connect-network',
            container,
            network: what.network.name,
            aliases: wanted.containers[0]?.placement.aliases ?? [],
            ifThere: true,
          },
        ]
      case 'attached':
        return [{ do: 'disconnect-network', container, network: what.network }]
      case 'altered':
        return [{ do: 'update-container', container, limits: limitsOf(what.spec) }]
      case 'unregistered':
        return wanted.containers.flatMap(({ placement: { service, pod } }): Step[] =>
          pod === undefined
            ? []
            : [{ do: 'register-pod', container, service, volume: what.metadata.volume, pod }],
        )
      default:
        return []
    }
  })
}

/** Whether a repaired instance has to pass its health gate again. It does not if nothing happened to its process. */
export function isGateDue({ what }: Fault): boolean {
  switch (what.is) {
    case 'outdated':
    case 'altered':
    case 'attached':
    case 'unreached':
    case 'misnamed':
    case 'unregistered':
      return false
    default:
      return true
  }
}

/**
 * Takes requests from instances that are not ready for them. If they must not receive any again, also takes them from
 * their gate.
 */
export function shutOutStages(faults: readonly Standstill[], { traffic }: Service): Stages {
  const instances = faults.flatMap(({ what, live }) => (what.is === 'not-ready' ? [live] : []))
  return traffic?.role !== 'backend'
    ? stagesOf(drainSteps(instances), leaveGateSteps(instances))
    : stagesOf(shutOutSteps(instances))
}

/**
 * Unpauses what was paused, and starts what is stopped. An instance without its sandbox is started as a whole. A
 * stopped container leaves its gate first, because it would otherwise receive requests from its start on, and not when
 * it is ready. Apps of pods are made anew.
 */
export function wakeStages(faults: readonly Standstill[], service: Service): Stages {
  const instances = [...Map.groupBy(faults, ({ live }) => live)]
  return abreast(
    ...instances.map(([live, of]) =>
      stagesOf(
        of.some(({ what }) => what.is === 'stopped') ? drainSteps([live]) : [],
        ...wake(live, of, service),
      ),
    ),
  )
}

function wake(live: LiveInstance, faults: readonly Standstill[], service: Service): Stages {
  if (needsWholeStart(faults)) {
    const again = faults.some(lostSandbox)
    const inTheWay = live.containers.filter(
      ({ role, state }) => state === 'paused' || (again && role !== 'sandbox' && state === 'running'),
    )
    return stagesOf(
      inTheWay.map(({ engineName: container }): Step => ({ do: 'stop-container', container })),
      ...renewStages(faults),
      ...startStages([live], service, again ? 'anew' : undefined),
    )
  }
  return stagesOf(...renewStages(faults), faults.flatMap(wakeOne))
}

/**
 * Returns the apps of pods that ran before and are started again. They are made anew, because the file system of an app
 * is clean at every start (C50). Their sandbox is not: it holds the empty volumes, the UUID and the token, which live as
 * long as their pod.
 */
export function renewed(faults: readonly Standstill[]): readonly WantedContainer[] {
  const ofInstances = [...Map.groupBy(faults, ({ live }) => live)]
  return ofInstances.flatMap(([live, of]) => {
    const wanted = of[0]?.wanted
    if (wanted?.instance.pod === undefined) return []
    const started = of.some(lostSandbox)
      ? live.containers
      : of.flatMap(({ what, container }) => (what.is === 'stopped' ? [container] : []))
    const names = started.filter(one => one.role === 'app' && hasRun(one)).map(({ engineName }) => engineName)
    return wanted.containers.filter(({ engineName }) => names.includes(engineName))
  })
}

function renewStages(faults: readonly Standstill[]): Stages {
  const apps = renewed(faults)
  return stagesOf(
    apps.map(({ engineName: container }): Step => ({ do: 'remove-container', container })),
    apps.map(createStep),
  )
}

/**
 * Whether its sandbox is stopped, or was started without the others, or its init containers have not done their work.
 */
function needsWholeStart(faults: readonly Standstill[]): boolean {
  return faults.some(fault => lostSandbox(fault) || fault.container.role === 'init')
}

function lostSandbox({ container, what }: Standstill): boolean {
  return what.is === 'cut-off' || (container.role === 'sandbox' && what.is === 'stopped' && hasRun(container))
}

function wakeOne({ what, container: { engineName: container } }: Standstill): readonly Step[] {
  switch (what.is) {
    case 'stopped':
      return [{ do: 'start-container', container }]
    case 'paused':
      return [{ do: 'unpause-container', container }]
    case 'not-alive':
      return [{ do: 'restart-container', container }]
    case 'detached':
    case 'nameless':
    case 'attached':
    case 'unreached':
    case 'altered':
    case 'misnamed':
    case 'unregistered':
    case 'cut-off':
    case 'shut-out':
    case 'not-ready':
    case 'outdated':
      return []
  }
}
