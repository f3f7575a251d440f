import { optional } from '../../../object.ts'
import type { Service } from '../../../state/application/application.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import type { Difference } from '../../compare/diff.ts'
import type { LiveInstance } from '../../compare/instance/instance.ts'
import type { Step } from '../../step/step.ts'
import { noRollout, type Rollout, type Stages } from '../rollout.ts'
import { endStages } from '../stage/jobs.ts'
import { stagesOf } from '../stage/stages.ts'
import { awaitStep, leftByAttempt, restoreStages } from './service-steps.ts'

/** Returns what puts back what ran before a failed rollout whose undo was interrupted; nothing if nothing is left of it. */
export function swarmRestore(
  { matched, surplus, ranBefore: replicas }: Difference,
  service: Service,
): {
  readonly asleep: readonly LiveInstance[]
  readonly failed: readonly LiveInstance[]
  readonly stages: Rollout['stages']
} {
  const failed = leftByAttempt(matched)
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
