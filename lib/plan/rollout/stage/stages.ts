import { largestOf } from '../../../numbers.ts'
import { optional } from '../../../object.ts'
import type { Service } from '../../../state/application/application.ts'
import { isOfOperator } from '../../../state/application/ingress/external.ts'
import { hasRun } from '../../../state/running/has-run.ts'
import type { Match } from '../../compare/comparison.ts'
import {
  createStep,
  isHead,
  type LiveInstance,
  type Members,
  roleOf,
  type Together,
  type WantedContainer,
  type WantedInstance,
} from '../../compare/instance/instance.ts'
import type { Step, StepOf } from '../../step/step.ts'
import type { Stages } from '../rollout.ts'
import { admitSteps, drainSteps, leaveSteps, loadSteps, reachSteps } from './traffic-steps.ts'

/** Returns the stages without the empty ones. */
export function stagesOf(...stages: Stages): Stages {
  return stages.filter(stage => stage.length > 0)
}

/** Joins several courses of stages: first stages with first stages, and so on. */
export function abreast(...courses: readonly Stages[]): Stages {
  const longest = largestOf(courses, ({ length }) => length)
  return Array.from({ length: longest }, (_, at) => courses.flatMap(stages => stages[at] ?? []))
}

/**
 * Creates what is missing, and what exists and never ran: a sandbox before the containers in it. An attempt may have
 * ended after a container was created and before everything was put into it, and nothing shows that. To create it again
 * completes it (G15).
 */
export function createStages(missing: readonly WantedInstance[], matched: readonly Match[] = []): Stages {
  const all = [
    ...matched.map(({ wanted, live }) => [wanted, neverRanOf(wanted, live)] as const),
    ...missing.map(wanted => [wanted, wanted.containers] as const),
  ]
  const having = (head: boolean) =>
    all.flatMap(([wanted, containers]) =>
      containers.filter(one => isHead(one, wanted) === head).map(createStep),
    )
  return stagesOf(having(true), having(false))
}

function neverRanOf({ containers }: WantedInstance, live: LiveInstance): readonly WantedContainer[] {
  const names = live.containers.filter(one => !hasRun(one)).map(({ container }) => container)
  return containers.filter(({ spec }) => names.includes(spec.name))
}

/**
 * How instances are started that ran before, and so did their init containers. `anew`: as a whole. `back`: as they were,
 * without what has run to its end since their sandbox was started (X5).
 */
export type Again = 'anew' | 'back'

/** Starts instances: a sandbox, then the init containers one after the other to their end, then the others. */
export function startStages(instances: readonly Together[], service: Service, again?: Again): Stages {
  return abreast(...instances.map(instance => startOne(instance, service, again)))
}

function startOne(
  instance: Together,
  { strategy: { timeoutMs } }: Service,
  again: Again | undefined,
): Stages {
  const parts = partsOf(instance)
  const sandbox = parts.find(({ role }) => role === 'sandbox')?.container
  const start = (head: boolean) =>
    parts
      .filter(part => part.role !== 'init' && part.head === head)
      .map(
        ({ container, mayEnd }): Step => ({
          do: 'start-container',
          container,
          ...optional('unlessDoneIn', again === 'back' && mayEnd ? sandbox : undefined),
        }),
      )
  const init = partsOf(instance)
    .filter(({ role }) => role === 'init')
    .map(({ container }): readonly Step[] => [
      {
        do: 'run-to-end',
        container,
        onFailure: 'retry',
        timeoutMs,
        ...(again === undefined ? {} : { again: true }),
      },
    ])
  return stagesOf(start(true), ...init, start(false))
}

/** Stops instances once no request to them is under way (P12): the containers in a sandbox before the sandbox. */
export function stopStages(instances: readonly LiveInstance[]): Stages {
  const stop = insideOut(
    instances,
    container => ({ do: 'stop-container', container }),
    role => role !== 'init',
  )
  return stagesOf(drainSteps(instances), ...stop)
}

/** Removes instances: the containers in a sandbox before the sandbox. */
export function removeStages(instances: readonly Together[]): Stages {
  return insideOut(instances, container => ({ do: 'remove-container', container }))
}

/** What is known of instances that are to serve. */
export type ServedInstances = {
  /** The time for which they have run already counts for their health gate. */
  readonly untouched?: readonly Together[]
  /** They have passed it before: what has run to its end in them since is not judged. */
  readonly proven?: readonly Together[]
}

/** Lets instances pass their health gate, and then receive requests (P12). An ingress loads its routes. */
export function serveStages(
  instances: readonly Together[],
  service: Service,
  { untouched = [], proven = [] }: ServedInstances = {},
): Stages {
  return stagesOf(
    [
      ...gateSteps(
        instances.filter(one => !untouched.includes(one)),
        service,
        proven,
      ),
      ...gateSteps(untouched, service, proven).map(asRanBefore),
    ],
    admitSteps(instances, service),
    ...routeStages(instances, service),
  )
}

/** Attaches the ingress to all gates of its routes, loads them, and detaches it from gates that no route uses. */
export function routeStages(instances: readonly Together[], service: Service): Stages {
  return stagesOf(
    reachSteps(instances, service),
    loadSteps(instances, service),
    leaveSteps(instances, service),
  )
}

/**
 * Does the same for instances that ran before. An ingress among them keeps its routes. What may end is not judged again.
 */
export function serveAgainStages(instances: readonly LiveInstance[], service: Service): Stages {
  return stagesOf(gateSteps(lastingOf(instances), service), admitSteps(instances, service))
}

/** Does so after a failed rollout: what ran all the while has proved itself, and what is started again has to anew. */
export function serveBackStages(instances: readonly LiveInstance[], service: Service): Stages {
  const gates = gateSteps(lastingOf(instances), service).map(asRanBefore)
  return stagesOf(gates, admitSteps(instances, service))
}

function lastingOf(instances: readonly LiveInstance[]): readonly Members[] {
  return instances.map(instance => ({
    ...instance,
    containers: instance.containers.filter(({ mayEnd }) => !mayEnd),
  }))
}

/**
 * Returns the health gate of instances. The operator's ingress has none: it gets its routes as soon as it accepts them.
 */
function gateSteps(
  instances: readonly Members[],
  service: Service,
  proven: readonly Members[] = [],
): readonly AwaitHealthy[] {
  if (isOfOperator(service)) return []
  const { healthyMs, timeoutMs } = service.strategy
  return instances
    .flatMap(instance => {
      const isProven = proven.includes(instance)
      return partsOf(instance).filter(
        ({ role, isDone, hasFailed }) => role !== 'init' && (!isDone || (hasFailed && !isProven)),
      )
    })
    .map(({ container }) => ({ do: 'await-healthy', container, healthyMs, timeoutMs }))
}

type AwaitHealthy = StepOf<'await-healthy'>

function asRanBefore(step: AwaitHealthy): Step {
  return { ...step, ranBefore: true }
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

function partsOf(instance: Members) {
  return instance.containers.map(one => ({
    container: one.engineName,
    role: roleOf(one),
    head: isHead(one, instance),
    isDone: 'isDone' in one && one.isDone === true,
    hasFailed: 'exitCode' in one && one.exitCode !== 0,
    mayEnd: 'mayEnd' in one && one.mayEnd === true,
  }))
}
