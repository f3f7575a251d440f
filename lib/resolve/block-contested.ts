import type { BuildContext } from '../spec/build/context.ts'
import type { EntryOutcome } from '../spec/build/outcomes.ts'
import { contestedProblems, type Reserved } from '../spec/claims/contested.ts'
import type { Blocked } from '../state/application/desired.ts'
import { claimedBy, type Route } from '../state/application/ingress/route.ts'
import { asBefore, hasRoutes, type Reach } from './with-ingress.ts'

/**
 * If applications claim the same thing, blocks the later ones in the order of the manifest, and nobody else (D15). If
 * they claim the same requests, all of them are blocked, because a person has to decide. The ports of the ingress are
 * reserved as soon as anything has a route, and so are those of the ingresses of other environments on the same hosts.
 */
export async function withoutContested(
  outcomes: readonly EntryOutcome[],
  { environment, environmentName: name, directory }: BuildContext,
  ingress: Reach | undefined,
): Promise<readonly EntryOutcome[]> {
  const built = outcomes.filter(outcome => outcome.kind === 'built')
  const blocked = outcomes.flatMap(outcome => (outcome.kind === 'blocked' ? [outcome.blocked] : []))
  const before = await asBefore(blocked, environment, ingress)
  const routed = [...built.map(({ application }) => application), ...before]
  const called = { environment, name, directory }
  const listeners = hasRoutes(routed) ? ingress?.listeners?.(called) : undefined
  const neighbours = ingress?.neighbours?.(called) ?? []
  const refused = contestedProblems(
    built.map(({ application: { name }, claims }) => ({ name, claims })),
    [
      ...loadedClaims(blocked, ingress?.make?.loaded ?? []),
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

/**
 * Returns what is answered for applications while they are blocked, so that nobody can take it over meanwhile. What
 * another one has taken over on one of the sites already is not reserved.
 */
function loadedClaims(blocked: readonly Blocked[], loaded: readonly Route[]): readonly Reserved[] {
  const names = new Set(blocked.map(({ application }) => application))
  const claims = loaded.flatMap(route => claimedBy(route).map(claim => ({ claim, who: route.application })))
  return [...Map.groupBy(claims, ({ claim }) => claim.text).values()].flatMap(
    (holders): readonly Reserved[] => {
      const [who = '', ...others] = new Set(holders.map(({ who }) => who))
      const claim = holders.find(({ claim: { isSubtree } }) => isSubtree)?.claim ?? holders[0]?.claim
      if (claim === undefined || others.length > 0 || !names.has(who)) return []
      return [{ who, where: 'as it was loaded before it was blocked', claim }]
    },
  )
}
