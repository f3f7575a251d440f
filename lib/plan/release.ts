import type { Application, Job, Service } from '../state/application.ts'
import { hashOf } from '../state/canonical.ts'
import { containerIdentity } from '../state/fingerprint.ts'

/**
 * What a service is released as: what it is to have (`target`), what runs once on the way there, and what judges it,
 * its gate and its limits (D18). Approvals and attempts speak of it. A change of hooks or limits alone makes another
 * release and no rollout: what is due is decided by the target. `absent` for none.
 */
export function releaseOf(
  target: string,
  { jobs = [], strategy, name }: Pick<Service, 'jobs' | 'strategy' | 'name'>,
  { upgrades = [] }: Pick<Application, 'upgrades'>,
): string {
  if (target === 'absent') return target
  const ways = upgrades.map(({ fromPattern, method, services }) => [fromPattern, method, services[name]])
  return shortHash({ target, jobs: jobs.map(partOfRelease), strategy, ways })
}

/**
 * What a whole application is released as, with what it requires: a service that fails may do so because of another,
 * so quarantine speaks of all of them. `services` are the releases of its services by name.
 */
export function applicationRelease(
  services: ReadonlyMap<string, string>,
  requirements: readonly string[],
): string {
  return shortHash({ services: Object.fromEntries(services), requirements })
}

/** What a job is, apart from what happens when it fails: its container is found again by it (H22). */
export function jobIdentity({ stage, container, network, attachments = [], volumes }: Job): object {
  return {
    stage,
    container: containerIdentity(container),
    networks: [network, ...attachments].map(({ name }) => name),
    volumes: volumes.map(({ name }) => name),
  }
}

function partOfRelease(job: Job): object {
  const { onFailure, timeoutMs, oncePerImage } = job
  return { ...jobIdentity(job), onFailure, timeoutMs, oncePerImage }
}

function shortHash(value: unknown): string {
  return hashOf(value).slice(0, 32)
}
