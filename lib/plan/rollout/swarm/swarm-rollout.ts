import { optional } from '../../../object.ts'
import type { Service } from '../../../state/application/application.ts'
import type { DeclaredDifference } from '../../compare/diff.ts'
import type { LiveInstance, WantedInstance } from '../../compare/instance/instance.ts'
import type { Step } from '../../step/step.ts'
import type { ServiceSpecification } from '../../step/swarm-step.ts'
import { earlyReason } from '../early.ts'
import { noRollout, type Rollout, type Stages } from '../rollout.ts'
import { jobStages } from '../stage/jobs.ts'
import { stagesOf } from '../stage/stages.ts'
import { isOfOtherNumber, isScaling } from './on-swarm.ts'
import { awaitStep, leftByAttempt, restoreStages, serviceSpecification, stopStep } from './service-steps.ts'

/**
 * Returns the rollout of a service of a Swarm. The Swarm replaces its tasks, and we wait for the end of that. If it
 * fails, the service gets the specification back that it had before.
 */
export function swarmRollout(difference: DeclaredDifference, service: Service): Rollout {
  const [wanted] = difference.missing
  if (wanted === undefined) return completion(difference, service)
  const specified = serviceSpecification(wanted, service)
  if (specified === undefined) return noRollout
  const coming = { difference, service, wanted, specified, jobs: jobStages(difference) }
  const [before] = difference.surplus
  if (before === undefined) return first(coming)
  return isOfOtherKind(before, specified) ? anew(coming) : update(coming, before)
}

/** What a service is to become, and the jobs around that. */
type Coming = {
  readonly difference: DeclaredDifference
  readonly service: Service
  readonly wanted: WantedInstance
  readonly specified: ServiceSpecification
  readonly jobs: ReturnType<typeof jobStages>
}

function first(coming: Coming): Rollout {
  const { specified, jobs } = coming
  const { before, mid, post, away } = jobs
  return {
    ...noRollout,
    stages: [...before, ...mid, [{ do: 'create-service', ...specified }], [waitFor(coming)]],
    finish: [...post, ...away, ...(away.length === 0 ? [] : forgetFiles(specified))],
    undo: [...away, [{ do: 'remove-service', service: specified.service }]],
  }
}

/** Whether one has a task on each node, and the other a number of them. */
function isOfOtherKind({ containers: [{ runs: ran }] }: LiveInstance, { placement }: ServiceSpecification) {
  return (ran?.replicas === 'global') !== (placement.runs.replicas === 'global')
}

function anew(coming: Coming): Rollout {
  const { specified, jobs } = coming
  return {
    ...noRollout,
    strategy: 'recreate',
    strategyReason: anewReason,
    downtime: true,
    stages: [
      ...jobs.before,
      [{ do: 'remove-service', service: specified.service }],
      ...jobs.mid,
      [{ do: 'create-service', ...specified }],
      [waitFor(coming)],
    ],
    finish: [...jobs.post, ...jobs.away, ...forgetFiles(specified)],
  }
}

function update(coming: Coming, before: LiveInstance): Rollout {
  const { difference, specified, jobs } = coming
  const { beside = [] } = difference
  const why = jobs.mid.length > 0 ? earlyReason : beside.length > 0 ? togetherReason : undefined
  return {
    ...noRollout,
    ...(isScaling(difference) ? {} : replacement(specified, why)),
    stages: stagesOf(
      ...jobs.before,
      why === undefined ? [] : [before, ...beside].map(stopStep),
      ...jobs.mid,
      [{ do: 'update-service', ...specified }],
      [waitFor(coming)],
    ),
    finish: [...jobs.post, ...jobs.away, ...forgetFiles(specified)],
    undo: [...jobs.away, ...takeBack(coming, before, why !== undefined)],
  }
}

/** Returns how the tasks are replaced. `why` are all stopped before; undefined: the Swarm goes by its own order. */
function replacement(
  { placement: { runs } }: ServiceSpecification,
  why: string | undefined,
): Pick<Rollout, 'strategy' | 'strategyReason' | 'downtime'> {
  if (why !== undefined) return { strategy: 'recreate', strategyReason: why, downtime: true }
  const { order, parallelism } = runs.update
  const isOnEachNode = runs.replicas === 'global'
  const isAll = parallelism === 0 || (!isOnEachNode && parallelism >= runs.replicas)
  const isGap = order === 'stop-first' && isAll
  const isByNode = order === 'stop-first' && isOnEachNode
  return {
    strategy: isGap ? 'recreate' : 'rolling',
    strategyReason: isByNode ? byNodeReason : orderReasons[order],
    downtime: isGap || isByNode,
  }
}

/** Returns what gives the service back what it had. What somebody did by hand is not restored. */
function takeBack(coming: Coming, before: LiveInstance, isStopped: boolean): Stages {
  const { difference, service, wanted, specified } = coming
  const { runs: ran } = before.containers[0]
  const { fingerprint } = before
  const isScaled = difference.kind !== 'drifted' && isOfOtherNumber(before, wanted)
  const isSame = fingerprint === wanted.fingerprint && !isScaled
  // What runs on each node is stopped by being removed, and there is nothing left to give back.
  if (isStopped ? ran?.replicas === 'global' : isSame) return []
  const number = isStopped || isScaled ? optional('replicas', difference.ranBefore ?? ran?.replicas) : {}
  return [
    [{ do: 'restore-service', service: specified.service, fingerprint, ...number }],
    [awaitStep(service, specified.service, fingerprint)],
  ]
}

function waitFor({ service, wanted, specified }: Coming): Step {
  return awaitStep(service, specified.service, wanted.fingerprint)
}

function forgetFiles({ service }: ServiceSpecification): Stages {
  return [[{ do: 'forget-files', service }]]
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
    undo: stagesOf(...away, ...restoreStages(leftByAttempt(matched), service)),
  }
}
