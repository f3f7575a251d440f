import { optional } from '../../../object.ts'
import type { Service } from '../../../state/application/application.ts'
import { swarmUpdate } from '../../../state/application/swarm/swarm-update.ts'
import type { Difference } from '../../compare/diff.ts'
import type { LiveInstance, WantedInstance } from '../../compare/instance/instance.ts'
import type { Step } from '../../step/step.ts'
import type { ServiceSpecification } from '../../step/swarm-step.ts'
import type { Stages } from '../rollout.ts'
import { stagesOf } from '../stage/stages.ts'

/**
 * Returns what a Swarm is told of an instance that stands for a whole service; undefined if it is one of a host. How its
 * tasks are replaced depends on the way to this version, too (A40).
 */
export function serviceSpecification(
  { containers: [head], instance }: WantedInstance,
  { strategy }: Service,
): ServiceSpecification | undefined {
  const { runs } = instance
  if (head === undefined || runs === undefined) return undefined
  const { engineName: service, placement, spec } = head
  const update = swarmUpdate({ instances: [instance], strategy }, runs)
  return { service, placement: { ...placement, runs: { ...runs, update } }, spec }
}

/** Stops all tasks of a service. */
export function stopStep({ fingerprint, containers: [{ engineName: service }] }: LiveInstance): Step {
  return { do: 'stop-service', service, fingerprint }
}

/** Waits until the tasks of a service are as they should be; with a fingerprint, of the version that has it. */
export function awaitStep(service: Service, name: string, fingerprint?: string): Step {
  const { healthyMs, timeoutMs } = service.strategy
  return {
    ...{ do: 'await-service', service: name, ...optional('fingerprint', fingerprint) },
    ...{ parallelism: parallelismOf(service), healthyMs, timeoutMs },
  }
}

/** How many tasks of a service are replaced at a time on the way to this version (A40). */
function parallelismOf({ instances, strategy }: Service): number {
  const [instance] = instances
  return instance?.runs === undefined
    ? 0
    : swarmUpdate({ instances: [instance], strategy }, instance.runs).parallelism
}

/** Puts back whatever these had before, and waits until it runs: until then nothing may serve. */
export function restoreStages(live: readonly LiveInstance[], service: Service): Stages {
  const names = live.map(({ containers: [{ engineName }] }) => engineName)
  return stagesOf(
    names.map((name): Step => ({ do: 'restore-service', service: name })),
    names.map(name => awaitStep(service, name)),
  )
}

/** Returns what an interrupted attempt has left. */
export function leftByAttempt(matched: Difference['matched']): readonly LiveInstance[] {
  return matched.flatMap(({ live, since }) => (since === 'attempt' ? [live] : []))
}
