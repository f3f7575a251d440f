import type { RoutedApplication } from '../ingress/as-loaded.ts'
import type { BuildContext } from '../spec/build/context.ts'
import type { EntryOutcome } from '../spec/build/outcomes.ts'
import { type Reserved, refusals } from '../spec/claims/contested.ts'
import { claimedBy } from '../state/application/route.ts'
import { routesOf } from '../state/application/traffic.ts'
import { asBefore, hasRoutes, type Reach } from './ingress.ts'

/**
 * If applications claim the same thing, blocks the later ones in the order of the manifest, and nobody else (D15). If
 * they claim the same requests, all of them are blocked, because a person has to decide. The ports of the ingress are
 * reserved as soon as anything has a route, and so are those of the ingresses of other environments on the same hosts.
 */
export async function withoutContested(
  outcomes: readonly EntryOutcome[],
  { environment, environmentName }: BuildContext,
  ingress: Reach | undefined,
): Promise<readonly EntryOutcome[]> {
  const built = outcomes.filter(outcome => outcome.kind === 'built')
  const kept = outcomes.filter(outcome => outcome.kind === 'blocked')
  const before = await asBefore(
    kept.map(({ blocked }) => blocked),
    environment,
    ingress,
  )
  const routed = [...built.map(({ application }) => application), ...before]
  const listeners = hasRoutes(routed) ? ingress?.listeners?.(environmentName) : undefined
  const neighbours = ingress?.neighbours?.(environmentName) ?? []
  const refused = refusals(
    built.map(({ application: { name }, claims }) => ({ name, claims })),
    [
      ...before.flatMap(loadedClaims),
      ...(listeners === undefined && neighbours.length === 0
        ? []
        : (await import('../ingress/ports.ts')).reservedPorts(listeners, neighbours)),
    ],
  )
  return outcomes.map(outcome => {
    if (outcome.kind !== 'built') return outcome
    const { name: application } = outcome.application
    const [first, ...more] = refused.get(application) ?? []
    return first === undefined
      ? outcome
      : { kind: 'blocked', blocked: { application, problems: [first, ...more] }, built: outcome }
  })
}

/** Returns what is answered for an application while it is blocked, so that nobody can take it over meanwhile. */
function loadedClaims({ services }: RoutedApplication): readonly Reserved[] {
  return services.flatMap(routesOf).flatMap(route =>
    claimedBy(route).map(
      (text): Reserved => ({
        who: route.application,
        where: 'as it was loaded before it was blocked',
        claim: { of: 'requests', text },
      }),
    ),
  )
}
