import type { Problem } from '../errors.ts'
import type { Application } from '../state/application.ts'
import type { DesiredState } from '../state/desired.ts'
import { isOfInstance } from '../state/job-container.ts'
import type { LiveContainer, LiveState } from '../state/live.ts'
import { isOfSpecification, openNetwork } from '../state/network.ts'
import type { Change } from './change.ts'

/**
 * The applications that the manifest alone describes, while something of them runs that a specification made. Losing it
 * takes away volumes, variables and limits without a word in the manifest: it counts as a removal (D16).
 */
export function specificationGone(
  { environment, applications }: DesiredState,
  { containers }: LiveState,
): ReadonlySet<string> {
  const described = new Set(
    containers.filter(container => isDescribed(container, environment)).map(({ application }) => application),
  )
  return new Set(
    applications
      .filter(application => described.has(application.name) && isPlain(application, environment))
      .map(({ name }) => name),
  )
}

/** One service of the application's own name, with nothing around its containers and nothing that leads to them. */
function isPlain({ name, services }: Application, environment: string): boolean {
  return services.every(
    service =>
      service.name === name &&
      service.gate === undefined &&
      service.proxy === undefined &&
      service.instances.every(
        ({ sandbox, network }) => sandbox === undefined && network.name === openNetwork(environment).name,
      ),
  )
}

function isDescribed(container: LiveContainer, environment: string): boolean {
  if (!isOfInstance(container) || container.isExternal) return false
  const { application, service, role, networks } = container
  return (
    service !== application ||
    role !== 'app' ||
    networks.some(network => isOfSpecification(network, environment))
  )
}

/** What to say of them: one warning for each application. */
export function goneWarnings(changes: readonly Change[]): readonly Problem[] {
  const names = changes
    .filter(({ isSpecificationGone }) => isSpecificationGone)
    .map(({ application }) => application)
  return [...new Set(names)].map(name => ({
    code: 'specification-gone',
    message: `${name}: the specification of what runs is gone from the repository; the change is confirmed like a removal`,
  }))
}
