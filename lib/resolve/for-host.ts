import type { Problem } from '../errors.ts'
import { onceFor } from '../memo/once-for.ts'
import { fixedPortFault } from '../spec/claims/host-ports.ts'
import type { Application } from '../state/application/application.ts'
import type { DesiredState } from '../state/application/desired.ts'
import { membersOf } from '../state/application/members.ts'

/**
 * Returns what a site wants as a host can have it. What only a Swarm can do is blocked, so that nothing of it is touched;
 * where an environment has no Swarm, that was found when its files were read. Pure, and the same value for the same one.
 */
export const forHost: (desired: DesiredState) => DesiredState = onceFor((desired: DesiredState) => {
  const lacking = desired.applications.flatMap(application => {
    const [first, ...others] = problemsOf(application)
    return first === undefined
      ? []
      : [{ application: application.name, problems: [first, ...others] as const }]
  })
  if (lacking.length === 0) return desired
  const names = new Set(lacking.map(({ application }) => application))
  return {
    ...desired,
    applications: desired.applications.filter(({ name }) => !names.has(name)),
    blocked: [...desired.blocked, ...lacking],
  }
})

const onlySwarms =
  'Only a Swarm has one port for several instances. Give the application a deployment that means its Swarms, or let each host have one instance.'

function problemsOf({ name, services }: Application): readonly Problem[] {
  return services.flatMap((service): readonly Problem[] => {
    const [instance] = service.instances
    if (instance === undefined) return []
    const fault = fixedPortFault(membersOf(instance), service.instances.length, service.strategy)
    if (fault === undefined) return []
    const message = `${name}: ${fault.key} of ${service.name} ${fault.what}`
    return [{ code: 'application-invalid', message, hint: onlySwarms }]
  })
}
