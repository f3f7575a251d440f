import { optional } from '../../object.ts'
import type { Service } from '../../state/application/application.ts'
import { swarmUpdate } from '../../state/application/swarm/swarm-update.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { DeclaredDifference, Difference } from '../compare/diff.ts'
import type { LiveInstance, WantedInstance } from '../compare/instance/instance.ts'
import type { Step } from '../step/step.ts'
import type { ServiceSpecification } from '../step/swarm-step.ts'
import { earlyReason } from './early.ts'
import { noRollout, type Rollout, type Stages } from './rollout.ts'
import { endStages, jobStages } from './stage/jobs.ts'
import { stagesOf } from './stage/stages.ts'

/** Whether a service runs, or is to run, as one service of a Swarm. */
export function isOnSwarm({ missing, matched, surplus }: Difference): boolean {
  const live = [...matched.map(({ live }) => live), ...surplus]
  return (
    missing.some(({ instance }) => instance.runs !== undefined) ||
    live.some(({ containers }) => containers[0].runs !== undefined)
  )
}

/** Whether a service of a Swarm only gets another number of tasks, so that none is replaced. */
export function isScaling({
  surplus: [before],
  missing: [wanted],
  beside = [],
  isRollout,
}: Difference): boolean {
  return !isRollout && beside.length === 0 && isOfOtherNumber(before, wanted)
}

/** Whether nothing but the number of tasks is to be another one. */
function isOfOtherNumber(before: LiveInstance | undefined, wanted: WantedInstance | undefined): boolean {
  const ran = before?.containers[0].runs
  const runs = wanted?.instance.runs
  return (
    before?.fingerprint === wanted?.fingerprint &&
    ran !== undefined &&
    ran.altered === undefined &&
    runs !== undefined &&
    ran.replicas !== runs.replicas &&
    ran.replicas !== 'global' &&
    runs.replicas !== 'global'
  )
}

/**
 * Returns the rollout of a service of a Swarm. The Swarm replaces its tasks, and we wait for the end of that. If it
 * fails, the service gets the specification back that it had before.
 */
export function swarmRollout(difference: DeclaredDifference, service: Service): Rollout {
  const [wanted] = difference.missing
  const { surplus, beside = [], ranBefore } = difference
  const [before] = surplus
  if (wanted === undefined) return completion(difference, service)
  const specified = serviceSpecification(wanted, service)
  if (specified === undefined) return noRollout
  const name = { service: specified.service }
  const waits = awaitStep(service, specified.service, wanted.fingerprint)
  const { before: first, mid, post, away } = jobStages(difference)
  const forgets: Stages = [[{ do: 'forget-files', ...name }]]
  if (before === undefined)
    return {
      ...noRollout,
      stages: [...first, ...mid, [{ do: 'create-service', ...specified }], [waits]],
      finish: [...post, ...away, ...(away.length === 0 ? [] : forgets)],
      undo: [...away, [{ do: 'remove-service', ...name }]],
    }
  const { runs } = specified.placement
  const { runs: ran } = before.containers[0]
  if ((ran?.replicas === 'global') !== (runs.replicas === 'global'))
    return {
      ...noRollout,
      strategy: 'recreate',
      strategyReason: anewReason,
      downtime: true,
      stages: [
        ...first,
        [{ do: 'remove-service', ...name }],
        ...mid,
        [{ do: 'create-service', ...specified }],
        [waits],
      ],
      finish: [...post, ...away, ...forgets],
    }
  const { order, parallelism } = runs.update
  const stops = mid.length > 0 || beside.length > 0
  const isAll = parallelism === 0 || (runs.replicas !== 'global' && parallelism >= runs.replicas)
  const stopReason = mid.length > 0 ? earlyReason : togetherReason
  const isByNode = order === 'stop-first' && runs.replicas === 'global'
  const isGap = stops || (order === 'stop-first' && isAll)
  const isSame = before.fingerprint === wanted.fingerprint
  /** What somebody did by hand is not restored. */
  const isScaled = difference.kind !== 'drifted' && isOfOtherNumber(before, wanted)
  const number = stops || isScaled ? optional('replicas', ranBefore ?? ran?.replicas) : {}
  const replacing: Pick<Rollout, 'strategy' | 'strategyReason' | 'downtime'> = {
    strategy: isGap ? 'recreate' : 'rolling',
    strategyReason: stops ? stopReason : isByNode ? byNodeReason : orderReasons[order],
    downtime: isGap || isByNode,
  }
  return {
    ...noRollout,
    ...(isScaling(difference) ? {} : replacing),
    stages: stagesOf(
      ...first,
      stops ? [before, ...beside].map(stopStep) : [],
      ...mid,
      [{ do: 'update-service', ...specified }],
      [waits],
    ),
    finish: [...post, ...away, ...forgets],
    undo:
      (isSame && !isScaled && !stops) || (stops && ran?.replicas === 'global')
        ? away
        : [
            ...away,
            [{ do: 'restore-service', ...name, fingerprint: before.fingerprint, ...number }],
            [awaitStep(service, specified.service, before.fingerprint)],
          ],
  }
}

const orderReasons = {
  'start-first': 'the Swarm starts each task before it stops the one in its place',
  'stop-first': 'the Swarm stops each task before it starts the one in its place',
}
const byNodeReason =
  'the Swarm replaces the task of one node after the other, and stops each before it starts the next'
const togetherReason = 'all services of the application stop before any starts anew'
const anewReason =
  'a Swarm cannot change between one task on each node and a number of them: the service is made anew, and a failure is not undone'

function stopStep({ fingerprint, containers: [{ engineName: service }] }: LiveInstance): Step {
  return { do: 'stop-service', service, fingerprint }
}

/** An interrupted attempt has given the service its specification. It is waited for, and undone if it fails. */
function completion(difference: DeclaredDifference, service: Service): Rollout {
  const { matched } = difference
  const names = matched.map(({ wanted }) => wanted)
  const { before, mid, post, away } = jobStages(difference)
  return {
    ...noRollout,
    stages: stagesOf(
      ...before,
      ...mid,
      names.flatMap(wanted => {
        const specified = serviceSpecification(wanted, service)
        return specified === undefined ? [] : [awaitStep(service, specified.service, wanted.fingerprint)]
      }),
    ),
    finish: stagesOf(
      ...post,
      ...away,
      names.map(({ containers }): Step => ({ do: 'forget-files', service: containers[0]?.engineName ?? '' })),
    ),
    undo: stagesOf(...away, ...restoreStages(attempted(matched), service)),
  }
}

/** Returns what puts back what ran before a failed rollout whose undo was interrupted; nothing if nothing is left of it. */
export function swarmRestore(
  { matched, surplus, ranBefore: replicas }: Difference,
  service: Service,
): {
  readonly asleep: readonly LiveInstance[]
  readonly failed: readonly LiveInstance[]
  readonly stages: Rollout['stages']
} {
  const failed = attempted(matched)
  const asleep = replicas === undefined ? [] : surplus.filter(live => live.containers[0].runs?.replicas === 0)
  const wake = asleep.map(
    ({ fingerprint, containers: [{ engineName }] }): Step => ({
      ...{ do: 'restore-service', service: engineName, fingerprint },
      ...optional('replicas', replicas),
    }),
  )
  const wait = asleep.map(({ fingerprint, containers: [{ engineName }] }) =>
    awaitStep(service, engineName, fingerprint),
  )
  return { asleep, failed, stages: stagesOf(...restoreStages(failed, service), wake, wait) }
}

/** A service of a Swarm that has another number of tasks than it should. */
export type Scaled = { readonly live: LiveInstance; readonly from: number; readonly to: number }

/** Returns what gives services their number of tasks back, whatever else they are specified as. */
export function scaleStages(scaled: readonly Scaled[], service: Service): Stages {
  return stagesOf(
    scaled.map(
      ({ live: { fingerprint, containers }, to }): Step => ({
        ...{ do: 'restore-service', service: containers[0].engineName, fingerprint, replicas: to },
      }),
    ),
    scaled.map(({ live: { fingerprint, containers } }) =>
      awaitStep(service, containers[0].engineName, fingerprint),
    ),
  )
}

function attempted(matched: Difference['matched']): readonly LiveInstance[] {
  return matched.flatMap(({ live, since }) => (since === 'attempt' ? [live] : []))
}

/** Puts back whatever these had before, and waits until it runs: until then nothing may serve. */
function restoreStages(live: readonly LiveInstance[], service: Service): Stages {
  const names = live.map(({ containers: [{ engineName }] }) => engineName)
  return stagesOf(
    names.map((name): Step => ({ do: 'restore-service', service: name })),
    names.map(name => awaitStep(service, name)),
  )
}

/** Returns the removal of services of a Swarm, with their files and what jobs left behind. Nothing restores them. */
export function swarmRemoval(
  services: readonly LiveInstance[],
  jobs: readonly LiveContainer[],
  why: string,
): Rollout {
  const names = services.map(({ containers }) => containers[0].engineName)
  return {
    ...noRollout,
    strategyReason: why,
    stages: stagesOf(
      ...endStages(jobs),
      names.map((service): Step => ({ do: 'remove-service', service })),
    ),
    finish: stagesOf(names.map((service): Step => ({ do: 'forget-files', service }))),
  }
}

/**
 * Returns what a Swarm is told of an instance that stands for a whole service; undefined if it is one of a host. How its
 * tasks are replaced depends on the way to this version, too (A40).
 */
function serviceSpecification(
  { containers: [head], instance }: WantedInstance,
  { strategy }: Service,
): ServiceSpecification | undefined {
  const { runs } = instance
  if (head === undefined || runs === undefined) return undefined
  const { engineName: service, placement, spec } = head
  const update = swarmUpdate({ instances: [instance], strategy }, runs)
  return { service, placement: { ...placement, runs: { ...runs, update } }, spec }
}

/** How many tasks of a service are replaced at a time on the way to this version (A40). */
function parallelismOf({ instances, strategy }: Service): number {
  const [instance] = instances
  return instance?.runs === undefined
    ? 0
    : swarmUpdate({ instances: [instance], strategy }, instance.runs).parallelism
}

function awaitStep(service: Service, name: string, fingerprint?: string): Step {
  const { healthyMs, timeoutMs } = service.strategy
  return {
    ...{ do: 'await-service', service: name, ...optional('fingerprint', fingerprint) },
    ...{ parallelism: parallelismOf(service), healthyMs, timeoutMs },
  }
}
