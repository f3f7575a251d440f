import type { Service } from '../../state/application.ts'
import {
  createStep,
  isHead,
  type LiveInstance,
  roleOf,
  type Together,
  type WantedInstance,
} from '../instance.ts'
import type { Step } from '../step.ts'
import { admitSteps, drainSteps, leaveSteps, loadSteps, reachSteps } from './ingress.ts'

/** Stages run in order, the steps of one stage side by side. */
export type Stages = readonly (readonly Step[])[]

/** Stages without the empty ones. */
export function stagesOf(...stages: Stages): Stages {
  return stages.filter(stage => stage.length > 0)
}

/** Several courses of stages side by side: first stages with first stages, and so on. */
export function abreast(...courses: readonly Stages[]): Stages {
  const longest = Math.max(0, ...courses.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => courses.flatMap(stages => stages[at] ?? []))
}

/** Creates instances: a sandbox before what lives in it. */
export function createStages(instances: readonly WantedInstance[]): Stages {
  const having = (head: boolean) =>
    instances.flatMap(instance =>
      instance.containers.filter(one => isHead(one, instance) === head).map(createStep),
    )
  return stagesOf(having(true), having(false))
}

/**
 * Starts instances: a sandbox, the init containers one after the other to their end, then the others. `again`: they
 * ran before, and so did their init containers.
 */
export function startStages(instances: readonly Together[], service: Service, again = false): Stages {
  return abreast(...instances.map(instance => startOne(instance, service, again)))
}

function startOne(instance: Together, { strategy: { timeoutMs } }: Service, again: boolean): Stages {
  const start = (head: boolean) =>
    partsOf(instance)
      .filter(part => part.role !== 'init' && part.head === head)
      .map(({ container }): Step => ({ do: 'start-container', container }))
  const init = partsOf(instance)
    .filter(({ role }) => role === 'init')
    .map(({ container }): readonly Step[] => [
      { do: 'run-to-end', container, onFailure: 'retry', timeoutMs, ...(again ? { again: true } : {}) },
    ])
  return stagesOf(start(true), ...init, start(false))
}

/** Stops instances, once no request is under way to them (P12): what lives in a sandbox before it. */
export function stopStages(instances: readonly LiveInstance[]): Stages {
  const stop = insideOut(
    instances,
    container => ({ do: 'stop-container', container }),
    role => role !== 'init',
  )
  return stagesOf(drainSteps(instances), ...stop)
}

/** Removes instances: what lives in a sandbox before it. */
export function removeStages(instances: readonly Together[]): Stages {
  return insideOut(instances, container => ({ do: 'remove-container', container }))
}

/** Instances pass their health gate, and then requests reach them (P12); the ingress itself loads its routes. */
export function serveStages(instances: readonly Together[], service: Service): Stages {
  return stagesOf(
    gateSteps(instances, service),
    admitSteps(instances, service),
    ...routeStages(instances, service),
  )
}

/** The ingress is at all gates of its routes, loads them, and leaves the gates that none of them leads through. */
export function routeStages(instances: readonly Together[], service: Service): Stages {
  return stagesOf(
    reachSteps(instances, service),
    loadSteps(instances, service),
    leaveSteps(instances, service),
  )
}

/** The same of instances that ran before: an ingress among them keeps the routes it had. */
export function serveAgainStages(instances: readonly LiveInstance[], service: Service): Stages {
  return stagesOf(gateSteps(instances, service), admitSteps(instances, service))
}

/** The health gate of instances; one of the operator's is given its routes as soon as it takes them. */
function gateSteps(instances: readonly Together[], service: Service): readonly Step[] {
  if (service.external) return []
  const { healthyMs, timeoutMs } = service.strategy
  return instances
    .flatMap(partsOf)
    .filter(({ role }) => role !== 'init')
    .map(({ container }) => ({ do: 'await-healthy', container, healthyMs, timeoutMs }))
}

function insideOut(
  instances: readonly Together[],
  step: (container: string) => Step,
  isMeant: (role: string) => boolean = () => true,
): Stages {
  const parts = instances.flatMap(partsOf).filter(({ role }) => isMeant(role))
  const having = (head: boolean) =>
    parts.filter(part => part.head === head).map(({ container }) => step(container))
  const [inside, heads] = [having(false), having(true)]
  return stagesOf(inside, heads)
}

function partsOf(instance: Together) {
  return instance.containers.map(one => ({
    container: one.engineName,
    role: roleOf(one),
    head: isHead(one, instance),
  }))
}
