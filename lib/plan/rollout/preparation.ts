import type { Service } from '../../state/application/application.ts'
import { gatesOf } from '../../state/application/ingress/traffic.ts'
import { hashOf } from '../../state/canonical.ts'
import type { Difference } from '../compare/diff.ts'
import { prepareJob } from '../compare/job/wanted-jobs.ts'
import { checkSteps, networkSteps, prepareSteps, pullSteps, reachedSteps } from '../compare/prepare.ts'
import type { SiteResources } from '../resources.ts'
import { type Step, stepsOf } from '../step/step.ts'
import { renewed } from './stage/mend.ts'
import { renameSteps } from './stage/rename-steps.ts'

/**
 * Returns the steps that pull missing images, create missing networks and volumes, and rename what has another
 * container's name, each once.
 */
export function preparation(difference: Difference, there: SiteResources): readonly Step[] {
  const { kind, application, service, declared, matched, missing, surplus } = difference
  const { faults, isRollout, jobs } = difference
  const seen = new Set<string>()
  const networks = faults.flatMap(({ what, wanted }) =>
    what.is === 'detached'
      ? networkSteps(what.network)
      : what.is === 'unreached'
        ? reachedSteps(wanted.instance)
        : [],
  )
  const ofJobs = isRollout ? jobs.flatMap(prepareJob) : []
  const isToReach = missing.length + faults.length > 0
  const gates = declared !== undefined && isToReach ? gateSteps(declared.service) : []
  const renames = renameSteps([...matched.map(({ live }) => live), ...surplus])
  // Equal instances need the same.
  const distinct = [...new Map(missing.map(wanted => [wanted.instance, wanted])).values()]
  const anew = renewed(faults).map(({ spec }) => spec)
  const ofApps = [...anew.flatMap(pullSteps), ...checkSteps(anew, [], `${application}/${service}`)]
  const steps = [...distinct.flatMap(prepareSteps), ...ofApps, ...ofJobs, ...networks, ...gates, ...renames]
  const had = surplus.flatMap(({ containers }) => containers.map(({ digest }) => digest))
  const unneeded = new Set<Step>([
    // Nodes of a Swarm have what they ran, and keep it through an outage of the registry.
    ...stepsOf(steps, 'find-image').filter(({ digest }) => kind === 'drifted' || had.includes(digest)),
    ...stepsOf(steps, 'create-network').filter(({ network }) => there.networks.includes(network.name)),
    ...stepsOf(steps, 'create-volume').filter(({ volume }) => there.volumes.includes(volume.name)),
  ])
  return steps.filter(step => {
    if (unneeded.has(step)) return false
    const key = hashOf(step)
    return !seen.has(key) && seen.add(key)
  })
}

/**
 * Returns the steps for the networks of the ingress. A network that cannot be made concerns only its application: the
 * ingress reaches the others all the same.
 */
function gateSteps({ traffic }: Service): readonly Step[] {
  return gatesOf(traffic).flatMap(network =>
    traffic?.role === 'proxy'
      ? [{ do: 'create-network' as const, network, ifRoom: true as const }]
      : networkSteps(network),
  )
}
