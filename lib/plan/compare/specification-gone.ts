import type { Problem } from '../../errors.ts'
import type { Application } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { isOfSpecification, openNetwork } from '../../state/application/network.ts'
import { isOfInstance } from '../../state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../state/running/live.ts'
import type { Change } from '../change/change.ts'

/**
 * Returns the applications that only the manifest describes, or for which nothing says any more what runs, while
 * something of them runs that was made from a specification. Its loss removes volumes, variables and limits without a
 * word in the manifest, so it counts as a removal (D16).
 */
export function specificationGone(
  { environment, applications, idle = [] }: DesiredState,
  { containers }: LiveState,
): ReadonlySet<string> {
  const described = new Set(
    containers.filter(container => isDescribed(container, environment)).map(({ application }) => application),
  )
  const plain = applications.filter(application => isPlain(application, environment))
  return new Set([...plain.map(({ name }) => name), ...idle].filter(name => described.has(name)))
}

/**
 * Whether it has one service with its own name, and only plain containers without routes. Only a specification can say
 * that a service has no instances.
 */
function isPlain({ name, services }: Application, environment: string): boolean {
  return services.every(
    service =>
      service.name === name &&
      service.traffic === undefined &&
      service.instances.length > 0 &&
      service.instances.every(
        ({ sandbox, network }) => sandbox === undefined && network.name === openNetwork(environment).name,
      ),
  )
}

function isDescribed(container: LiveContainer, environment: string): boolean {
  if (!isOfInstance(container)) return false
  const { application, service, role, networks } = container
  return (
    service !== application ||
    role !== 'app' ||
    networks.some(network => isOfSpecification(network, environment))
  )
}

/** Returns one warning for each such application. */
export function goneWarnings(changes: readonly Change[]): readonly Problem[] {
  const names = changes
    .filter(({ isSpecificationGone }) => isSpecificationGone)
    .map(({ application }) => application)
  return [...new Set(names)].map(name => ({
    code: 'specification-gone',
    message: `${name}: the specification of what runs is gone from the repository; the change is confirmed like a removal`,
  }))
}
