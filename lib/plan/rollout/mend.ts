import type { Service } from '../../state/application.ts'
import { limitsOf } from '../alterations.ts'
import type { Fault } from '../faults.ts'
import type { LiveInstance } from '../instance.ts'
import type { Step } from '../step.ts'
import { drainSteps, leaveGateSteps, shutOutSteps } from './ingress.ts'
import { abreast, type Stages, stagesOf, startStages } from './stages.ts'

/** Attaches again what lost its network or its name there, and undoes what somebody changed on what goes on. */
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
      case 'attached':
        return [{ do: 'disconnect-network', container, network: what.network }]
      case 'altered':
        return [{ do: 'update-container', container, limits: limitsOf(what.spec) }]
      default:
        return []
    }
  })
}

/** Whether what is mended has to pass its health gate again: nothing happens to the container where it need not. */
export function isGateDue({ what }: Fault): boolean {
  switch (what.is) {
    case 'outdated':
    case 'altered':
    case 'attached':
    case 'misnamed':
      return false
    default:
      return true
  }
}

/** Takes requests away from what is not ready for them; from its gate, too, where it is to get none any more. */
export function shutOutStages(faults: readonly Fault[], { gate }: Service): Stages {
  const instances = faults.flatMap(({ what, live }) => (what.is === 'not-ready' ? [live] : []))
  return gate === undefined
    ? stagesOf(drainSteps(instances), leaveGateSteps(instances))
    : stagesOf(shutOutSteps(instances))
}

/**
 * Lets go on what was paused, and starts what stands still; without its sandbox a whole instance is started again.
 * What stands still is taken from its gate first: it would get requests there from its start, and not when it is ready.
 */
export function wakeStages(faults: readonly Fault[], service: Service): Stages {
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

function wake(live: LiveInstance, faults: readonly Fault[], service: Service): Stages {
  if (needsWholeStart(faults)) {
    const again = faults.some(lostSandbox)
    const inTheWay = live.containers.filter(
      ({ role, state }) => state === 'paused' || (again && role !== 'sandbox' && state === 'running'),
    )
    return stagesOf(
      inTheWay.map(({ engineName: container }): Step => ({ do: 'stop-container', container })),
      ...startStages([live], service, again),
    )
  }
  return stagesOf(faults.flatMap(wakeOne))
}

/** Its sandbox stands still, or was started without the others, or its init containers have not done their work. */
function needsWholeStart(faults: readonly Fault[]): boolean {
  return faults.some(fault => lostSandbox(fault) || fault.container.role === 'init')
}

function lostSandbox({ container: { role, state }, what }: Fault): boolean {
  return what.is === 'cut-off' || (role === 'sandbox' && what.is === 'stopped' && state !== 'created')
}

function wakeOne({ what, container: { engineName: container } }: Fault): readonly Step[] {
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
    case 'altered':
    case 'misnamed':
    case 'cut-off':
    case 'shut-out':
    case 'not-ready':
    case 'outdated':
      return []
  }
}
