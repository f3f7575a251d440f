import type { Service, Strategy } from '../../state/application/application.ts'
import { gateOf, isGate, type Route } from '../../state/application/ingress/route.ts'
import type { Difference } from '../compare/diff.ts'
import { type Standstill, standstillsOf } from '../compare/drift/faults.ts'
import { isImageReplaced } from '../compare/drift/genuine.ts'
import { isRunning, type LiveInstance, thatRan } from '../compare/instance/instance.ts'
import { countIn } from '../compare/target/target.ts'
import type { Held } from '../hold/held.ts'
import { noRollout } from '../rollout/rollout.ts'
import { shutOutStages, wakeStages } from '../rollout/stage/mend.ts'
import { renameSteps } from '../rollout/stage/rename-steps.ts'
import { serveAgainStages, stagesOf } from '../rollout/stage/stages.ts'
import { type Scaled, scaleStages } from '../rollout/swarm/swarm-restore.ts'
import type { Repair, ServicePlace } from './change.ts'
import { standstillLines } from './instance-lines.ts'

/** What is stopped of a service of which only the containers are known, and how it passes its gate again. */
export type AsIs = {
  /** What was last applied: nothing else is started. */
  readonly target: string
  readonly standstills: readonly Standstill[]
  /** The services of a Swarm that somebody scaled. */
  readonly scaled: readonly Scaled[]
  readonly service: Service
}

/** What is known of such a service. */
type Unknown = Pick<Difference, 'application' | 'service' | 'surplus'>

export type AsIsContext = {
  readonly environment: string
  /** How instances pass their gates if nothing else is known. */
  readonly strategy: Strategy
  /** The routes that the ingress loaded last. */
  readonly loaded: readonly Route[]
}

/**
 * Returns what can be done for a service if it is no longer known what it was made from: its containers are started
 * again as they are. Nothing is created, changed or removed. A Swarm starts by itself what it is told to run, so a service
 * there only gets its number of tasks back. Undefined if nothing is stopped or scaled.
 */
export function asIs(unknown: Unknown, target: string, context: AsIsContext): AsIs | undefined {
  const { strategy } = context
  const service = { name: unknown.service, instances: [], strategy, ...gateIn(unknown, context) }
  const onHost = unknown.surplus.filter(({ containers: [{ runs }] }) => runs === undefined)
  const standstills = wantedIn(onHost, target).flatMap(live => standstillsOf(live, service))
  const scaled = scaledIn(unknown.surplus, target)
  return standstills.length + scaled.length === 0 ? undefined : { target, standstills, scaled, service }
}

function scaledIn(surplus: readonly LiveInstance[], target: string): readonly Scaled[] {
  return surplus.flatMap(live => {
    const { runs } = live.containers[0]
    const to = countIn(target, live.fingerprint)
    if (runs === undefined || runs.altered !== undefined || to === 0) return []
    const { replicas: from } = runs
    return from === 'global' || from === to ? [] : [{ live, from, to }]
  })
}

/** Returns the change that starts a service again as it is. */
export function asIsChange(
  { site, application, service: name }: ServicePlace,
  { target, standstills, scaled, service }: AsIs,
  held: Held | undefined,
): Repair {
  const instances = [...new Set(standstills.map(({ live }) => live))]
  const mended = standstills.flatMap(({ live, what }) => (what.is === 'not-ready' ? [] : [live]))
  const lines = standstillLines(name, standstills, scaled)
  return {
    site,
    application,
    service: name,
    action: standstills.length === 0 ? 'scale' : 'start',
    cause: 'drifted',
    reason: [...new Set(lines.map(({ reason }) => reason))].join('; '),
    instances: instances.length + scaled.length,
    lines,
    fields: [],
    ...noRollout,
    target,
    release: target,
    jobs: [],
    prepare: renameSteps(instances),
    stages: stagesOf(
      ...shutOutStages(standstills, service),
      ...wakeStages(standstills, service),
      ...serveAgainStages([...new Set(mended)], service),
      ...scaleStages(scaled, service),
    ),
    after: [],
    ...(held === undefined ? {} : { held }),
  }
}

/** Returns the instances that were applied last and can run again, those that run first. */
function wantedIn(surplus: readonly LiveInstance[], target: string): readonly LiveInstance[] {
  const usable = surplus.filter(({ containers }) =>
    containers.every(one => one.state !== 'dead' && one.state !== 'removing' && !isImageReplaced(one)),
  )
  const ran = usable.flatMap(thatRan)
  const running = ran.filter(isRunning)
  const inOrder = [...running, ...ran.filter(live => !running.includes(live))]
  return [...Map.groupBy(inOrder, ({ fingerprint }) => fingerprint)].flatMap(([fingerprint, same]) =>
    same.slice(0, countIn(target, fingerprint)),
  )
}

/** Returns where the instances receive requests, as far as the engine or the routes that were loaded show it. */
function gateIn(
  { application, service, surplus }: Unknown,
  { environment, loaded }: AsIsContext,
): Pick<Service, 'traffic'> {
  const gate = gateOf(environment, application, service, '')
  const isThere = surplus.some(({ containers }) => containers.some(({ networks }) => networks.some(isGate)))
  const isLoaded = loaded.some(({ alias, statics }) => alias === gate.alias || statics?.alias === gate.alias)
  return isThere || isLoaded ? { traffic: { role: 'backend', gate, routes: [] } } : {}
}
