import type { Service } from '../../state/application/application.ts'
import { membersOf } from '../../state/application/members.ts'
import type { LabelExpression } from '../../state/fleet/expression.ts'
import type { Service as Written } from '../application.gen.ts'
import { fixedPortFault } from '../claims/host-ports.ts'
import { faultReservedNames } from '../claims/reserved-names.ts'
import { hookJobs } from '../jobs.ts'
import { phaseJobs, places, readPallet, staticsOf } from '../pallet/pallet.ts'
import { present } from '../present.ts'
import { readHooks } from '../read/hooks.ts'
import { readLabelExpression } from '../read/label-expression.ts'
import { readRoutes } from '../read/routes.ts'
import { readStrategy } from '../read/strategy.ts'
import { readVariables } from '../read/value/variables.ts'
import { readVolumes } from '../read/volume/volumes.ts'
import type { Spot } from '../spot.ts'
import { buildInstance } from './instance.ts'
import type { ServiceSurroundings } from './member.ts'
import { faultVolumes, warnOfNoEffect } from './service-faults.ts'

/** Builds a service from its specification. `warn` receives what has no effect here. */
export function buildService(
  written: Written,
  surroundings: ServiceSurroundings,
  spot: Spot,
  warn: Spot,
): Service {
  const { name, replicas = 1, mode } = written
  if (mode === 'global' && written.replicas !== undefined)
    spot.at('replicas').fault('is not for "mode: global", which has one instance on each node')
  const { environment, environmentName, healthyMs, policy } = surroundings.context
  const strategy =
    written.strategy === undefined
      ? surroundings.strategy
      : readStrategy(written.strategy, healthyMs, spot.at('strategy'))
  const hooks =
    written.strategy === undefined ? surroundings.hooks : readHooks(written.strategy, spot.at('strategy'))
  const owner = { environment, application: surroundings.application }
  const volumes = readVolumes(
    written.volumes ?? [],
    owner,
    surroundings.context.secrets,
    spot.at('volumes'),
    warn.at('volumes'),
  )
  faultVolumes(written, volumes, policy, spot.at('volumes'))
  warnOfNoEffect(written, surroundings.context.onSwarms === true, warn)
  const variables = readVariables(written.variables ?? [], surroundings.context.secrets, spot.at('variables'))
  const known = { variables, secrets: surroundings.context.secrets }
  const pallet = readPallet(written, { ...owner, environmentName }, volumes, known, spot)
  const made = buildInstance(
    written,
    { ...surroundings, strategy, volumes: pallet?.volumes ?? volumes, variables, pallet },
    spot,
  )
  if (made === undefined) return { name, instances: [], strategy }
  const { instance, first } = made
  // What each site can have is judged there, where sites differ in it.
  if (surroundings.context.onSwarms !== true) {
    const fault = fixedPortFault(membersOf(instance), replicas, strategy)
    if (fault !== undefined) spot.at(fault.key).fault(fault.what)
  }
  const implicit = pallet === undefined ? new Map<string, string>() : places
  const jobs = [
    ...hookJobs(hooks, {
      environmentName,
      application: surroundings.application,
      service: name,
      containers: written.containers,
      instance,
      implicit,
      known,
    }),
    ...(pallet === undefined ? [] : phaseJobs(pallet, first, instance)),
  ]
  const statics = pallet && staticsOf(surroundings.application, first, instance)
  const routed = { application: surroundings.application, service: name, ...present({ statics }) }
  const traffic = readRoutes(written, routed, surroundings.context, spot, warn)
  faultReservedNames(written, traffic !== undefined, spot)
  const nodes =
    surroundings.context.onSwarms === true ? readNodes(written.placement, spot.at('placement')) : undefined
  return {
    name,
    instances: Array.from({ length: replicas }, () => instance),
    strategy,
    ...(mode === 'global' ? { isGlobal: true } : {}),
    ...present({ nodes }),
    ...present({
      spread: surroundings.context.onSwarms === true ? written.placement?.['spread-over'] : undefined,
    }),
    ...present({ jobs: replicas === 0 ? [] : jobs }),
    ...(replicas === 0 ? { resting: { instances: [instance], jobs } } : {}),
    ...present({ traffic }),
  }
}

function readNodes(written: Written['placement'], spot: Spot): LabelExpression | undefined {
  const text = written?.['match-host-labels']
  return text === undefined ? undefined : readLabelExpression(text, spot.at('match-host-labels'))
}
