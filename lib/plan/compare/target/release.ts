import { onceFor } from '../../../memo/once-for.ts'
import type { Application, Job, Service } from '../../../state/application/application.ts'
import { containerIdentity } from '../../../state/application/fingerprint.ts'
import { volumesOfService } from '../../../state/application/members.ts'
import { type Volume, volumeMark } from '../../../state/application/volume.ts'
import { hashOf } from '../../../state/canonical.ts'
import { byText } from '../../../text/order.ts'

/** The release of a service, to which approvals and attempts refer (D18). */
export type ServiceRelease = {
  readonly release: string
  /**
   * As a version told it that did not say how volumes are made; absent: the same. What it recorded of failures and
   * attempts counts on. What it recorded of approvals does not, because nobody was told how the volumes are made.
   */
  readonly formerRelease?: string
}

/** The release of a whole application, to which quarantine refers. */
export type ReleaseOfApplication = {
  /** With what it requires; undefined while one of their images is unknown. */
  readonly applicationRelease?: string
  /** As a version told it that did not say how volumes are made; absent: the same. */
  readonly formerApplicationRelease?: string
}

/** The releases of a service and of its application. */
export type BothReleases = ServiceRelease & ReleaseOfApplication

/**
 * Returns the release of a service: the state that it should have (`target`), what runs once on the way there, what
 * judges it, its gate and its limits (D18), and how its volumes are made. Approvals and attempts refer to it. A change of
 * hooks, limits or options of volumes alone makes another release and no rollout, because the target decides what is due.
 * `absent` for none.
 */
export function releaseOf(
  target: string,
  service: Released,
  application: Pick<Application, 'upgrades'>,
): ServiceRelease {
  if (target === 'absent') return { release: target }
  const known = releases(application)(service)
  const release = known.get(target) ?? makeRelease(target, service, application)
  known.set(target, release)
  return release
}

/** What of a service makes its release, besides its target. */
type Released = Pick<Service, 'instances' | 'jobs' | 'strategy' | 'name'>

/** By the target of the service. */
const releases = onceFor((_: Pick<Application, 'upgrades'>) =>
  onceFor((_: Released) => new Map<string, ServiceRelease>()),
)

function makeRelease(
  target: string,
  { instances, jobs = [], strategy, name }: Released,
  { upgrades = [] }: Pick<Application, 'upgrades'>,
): ServiceRelease {
  const ways = upgrades.map(({ fromPattern, method, services }) => [fromPattern, method, services[name]])
  const made = specialVolumes(volumesOfService({ instances, jobs }))
  const others = { target, jobs: jobs.map(partOfRelease), strategy, ways }
  const formerRelease = shortHash(others)
  return made.length === 0
    ? { release: formerRelease }
    : { release: shortHash({ ...others, volumes: made }), formerRelease }
}

/** Whether what is on record of a release is about this one. */
export function isReleaseOf(recorded: string, { release, formerRelease }: ServiceRelease): boolean {
  return recorded === release || recorded === formerRelease
}

/**
 * Returns how volumes are made, of those that are more than a directory of the engine: a release without them is what it
 * was before they were part of it.
 */
function specialVolumes(volumes: readonly Volume[]): readonly (readonly [string, string])[] {
  const marks = new Map(volumes.map(volume => [volume.name, volumeMark(volume)]))
  return [...marks].filter(([, mark]) => mark !== '').sort(byText(([volume]) => volume))
}

/**
 * Returns the release of a whole application and what it requires. A service may fail because of another one, so
 * quarantine refers to all of them. `services` are the releases of its services by name.
 */
export function applicationRelease(
  application: Pick<Application, 'name'>,
  services: ReadonlyMap<string, string>,
  requirements: readonly string[],
): string {
  const known = wholes(application)
  const parts = JSON.stringify([[...services], requirements])
  const release = known.get(parts) ?? shortHash({ services: Object.fromEntries(services), requirements })
  known.set(parts, release)
  return release
}

/** By the releases that it is made of. */
const wholes = onceFor((_: Pick<Application, 'name'>) => new Map<string, string>())

/** Whether what is on record of the release of an application may be about this one. */
export function isOfApplication(
  recorded: string,
  { applicationRelease, formerApplicationRelease }: ReleaseOfApplication,
): boolean {
  return (
    applicationRelease === undefined ||
    recorded === applicationRelease ||
    recorded === formerApplicationRelease
  )
}

/** Returns what identifies a job, without what happens when it fails. Its container is found again by it (H22). */
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
