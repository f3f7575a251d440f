import { optional } from '../../../object.ts'
import type { Application, Job, Service } from '../../../state/application/application.ts'
import { fingerprintOf, imageContent } from '../../../state/application/fingerprint.ts'
import { swarmJobName, swarmName } from '../../../state/application/swarm/swarm-service.ts'
import { hashOf } from '../../../state/canonical.ts'
import type { Role } from '../../../state/running/live.ts'
import type { Step } from '../../step/step.ts'
import { volumesOf, type WantedContainer } from '../instance/instance.ts'
import { checkSteps, findSteps, networkSteps, pullSteps } from '../prepare.ts'
import { jobIdentity } from '../target/release.ts'

/**
 * A job of one rollout. The name of its container depends on what it does and for which instances, so that it is found
 * again, and not taken for another job of the same stage (H22).
 */
export type WantedJob = { readonly job: Job; readonly container: WantedContainer }

/** The order in which they run. */
const inOrder: readonly Job['stage'][] = ['test', 'pre', 'deploy', 'mid', 'post']

/** Returns the jobs of a rollout to what a service wants now, in the order in which they run; none if it wants nothing. */
export function wantedJobs(
  environment: string,
  application: Application,
  service: Service,
): readonly WantedJob[] {
  const [instance] = service.instances
  const { jobs = [] } = service
  if (instance === undefined || jobs.length === 0) return []
  const owner = { environment, application: application.name, service: service.name }
  const fingerprint = fingerprintOf(owner, instance)
  const sorted = [...jobs].sort((a, b) => inOrder.indexOf(a.stage) - inOrder.indexOf(b.stage))
  return sorted.map(job => {
    const identity = hashOf({ fingerprint, job: jobIdentity(job) }).slice(0, 8)
    const onSwarm = instance.runs && swarmName(environment, application.name, service.name)
    const engineName = onSwarm
      ? swarmJobName(onSwarm, job.stage, identity)
      : `${environment}.${service.name}.${job.stage}.${identity}`
    const placement = {
      application: application.name,
      service: service.name,
      instance: 1,
      role: roleOf(job.stage),
      ...(application.version === undefined ? {} : { version: application.version }),
      fingerprint,
      network: job.network,
      attachments: job.attachments ?? [],
      aliases: [],
      instanceName: engineName,
      ...volumesOf(job),
      ...optional('runs', instance.runs),
    }
    return { job, container: { engineName, placement, spec: job.container } }
  })
}

/** Returns what these jobs deploy, each by the content of its image (P6). */
export function deploysOf(jobs: readonly Job[]): readonly string[] {
  return jobs.flatMap(({ stage, container }) =>
    stage === 'deploy' ? [imageContent(container.image.pin)] : [],
  )
}

/** Returns the steps for everything that has to exist before its container can be created. */
export function prepareJob({ job, container: { placement } }: WantedJob): readonly Step[] {
  const networks = [job.network, ...(job.attachments ?? [])].flatMap(networkSteps)
  // A Swarm pulls images and makes volumes itself.
  if (placement.runs !== undefined) return [...findSteps(job.container), ...networks]
  return [
    ...pullSteps(job.container),
    ...checkSteps([job.container], job.volumes, `${placement.application}/${placement.service}`),
    ...networks,
    ...job.volumes.map((volume): Step => ({ do: 'create-volume', volume })),
  ]
}

function roleOf(stage: Job['stage']): Role {
  switch (stage) {
    case 'test':
    case 'deploy':
      return stage
    case 'pre':
    case 'mid':
    case 'post':
      return 'hook'
  }
}
