import type { Problem } from '../../../errors.ts'
import type { HeldVersion } from '../../../journal/fleet/held-versions.ts'
import { type PinContext, pinImages } from '../../../registry/pin.ts'
import { type Reach, withIngress } from '../../../resolve/with-ingress.ts'
import { blockDependents } from '../../../spec/build/requires.ts'
import { type Whereabouts, whereaboutsOf } from '../../../spec/claims/whereabouts.ts'
import type { Application } from '../../../state/application/application.ts'
import { type Claim, claimText, rivalsAmong } from '../../../state/application/claim.ts'
import type { Blocked, DesiredState } from '../../../state/application/desired.ts'
import { claimedBy, ingressName } from '../../../state/application/ingress/route.ts'
import { routesOf } from '../../../state/application/ingress/traffic.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { shortCommit } from '../../../state/repository/revision.ts'
import { timeText } from '../../../text/time.ts'
import type { World } from '../../world.ts'
import { sitesKnownTo } from '../commit/sites-known.ts'
import { applicationAt, applicationInCommit, thenOn, type VersionThen } from './application-at.ts'

/**
 * Returns a state in which each application is as it was in the version that was chosen for it: that at which somebody
 * holds it, whether the newest commit has it or not, or else the one that its deployment names (A12). If that cannot be
 * had, it is blocked, so that the sites keep what they have until it can be (A10). A warning tells who holds what.
 * A site that had something of its own in the commit of that version gets it as it was. Returns the same value if
 * everything is as the newest commit has it. `pinned`: what that commit wants; `reach`: how
 * its ingress is made.
 */
export async function withChosenVersions(
  world: World,
  pinned: DesiredState,
  reach: Reach | undefined,
  context: () => Promise<PinContext>,
  signal: AbortSignal,
): Promise<DesiredState> {
  const held = world.journal.heldVersions(pinned.environment)
  const named = namedVersions(pinned, held)
  if (held.length + named.length === 0) return pinned
  const found: readonly (VersionThen & { readonly name: string })[] = await Promise.all([
    ...held.map(async one => ({
      name: one.application,
      ...(await applicationInCommit(world, pinned, one, signal)),
    })),
    ...named.map(async ({ name, version }) => ({
      name,
      ...(await applicationAt(world, pinned, name, version, signal)),
    })),
  ])
  const warnings = held.map(one => warningOf(one, pinned))
  const everywhere = whereaboutsOf(pinned.deployments, sitesKnownTo(world, pinned.environment))
  const chosenFor = async (
    state: DesiredState,
    whereabouts: Whereabouts,
    site?: string,
  ): Promise<DesiredState> => {
    const here = found.map(one => ({ name: one.name, ...thenOn(one, site) }))
    const exchanged = exchange(
      state,
      here.map(({ name }) => name),
      here.flatMap(one => ('application' in one ? one.application : [])),
      here.flatMap(one => ('problem' in one ? { application: one.name, problems: [one.problem] } : [])),
      whereabouts,
    )
    const remade = await withIngressAnew(exchanged, reach, whereabouts, context, signal)
    return blockDependents({ ...remade, warnings: [...warnings, ...remade.warnings] }, whereabouts)
  }
  const { variants, ...common } = pinned
  const differing = new Set([
    ...(variants?.keys() ?? []),
    ...found.flatMap(({ ofSites }) => [...(ofSites?.keys() ?? [])]),
  ])
  const chosen = await chosenFor(common, everywhere.besides([...differing]))
  if (differing.size === 0) return chosen
  const own = new Map<string, DesiredState>()
  for (const site of differing)
    own.set(site, await chosenFor(variants?.get(site) ?? common, everywhere.on([site]), site))
  return { ...chosen, variants: own }
}

/** Returns what deployments name, of applications that the commit has in another version and that nobody holds. */
function namedVersions(
  { applications, deployments = [] }: DesiredState,
  held: readonly HeldVersion[],
): readonly { readonly name: string; readonly version: string }[] {
  const by = new Map(applications.map(application => [application.name, application]))
  const isHeld = new Set(held.map(({ application }) => application))
  return deployments.flatMap(({ application: name, version }) => {
    const own = by.get(name)
    if (own === undefined || version === undefined || isHeld.has(name)) return []
    return versionOf(own) === version ? [] : { name, version }
  })
}

/** Returns a state without the ingress in which these applications take the place of those of these names. */
function exchange(
  { ingress: _, ingressTaken: __, ...state }: DesiredState,
  names: readonly string[],
  applications: readonly Application[],
  blocked: readonly Blocked[],
  whereabouts: Whereabouts,
): DesiredState {
  const isLeft = (name: string) => name !== ingressName && !names.includes(name)
  const others = state.applications.filter(({ name }) => isLeft(name))
  const contested = contestedAmong(applications, others, whereabouts)
  const refused = new Set(contested.map(({ application }) => application))
  const by = new Map(applications.map(one => [one.name, one]))
  const known = new Set(state.applications.map(({ name }) => name))
  const inPlace = state.applications.flatMap(one => (isLeft(one.name) ? one : (by.get(one.name) ?? [])))
  const added = applications.filter(({ name }) => !known.has(name))
  return {
    ...state,
    applications: [...inPlace, ...added].filter(({ name }) => !refused.has(name)),
    blocked: [...state.blocked.filter(one => isLeft(one.application)), ...blocked, ...contested],
    ...(state.idle === undefined ? {} : { idle: state.idle.filter(isLeft) }),
  }
}

/** Other applications may answer requests by now, on sites of both, that earlier versions of these answered (D19). */
function contestedAmong(
  applications: readonly Application[],
  others: readonly Application[],
  { of, within, nameIn }: Whereabouts,
): readonly Blocked[] {
  const own = applications.map(one => ({ application: one, claims: requestsOf(one) }))
  const taken = new Set(others.flatMap(requestsOf))
  const rivalsOf = rivalsAmong(
    [...taken, ...own.flatMap(({ claims }) => claims)],
    ({ name }) => of(name) & within,
  )
  return own.flatMap(({ application, claims }) => {
    const [found] = claims.flatMap(one => {
      const by = [...rivalsOf(one)].find(rival => taken.has(rival))
      return by === undefined ? [] : [{ ...one, by: by.name }]
    })
    if (found === undefined) return []
    const { name, claim, by } = found
    const site = nameIn(of(name) & of(by))
    const there = site === undefined ? '' : ` on ${site}`
    const message = `${name} claims ${claimText(claim)} in version ${versionOf(application)}, which ${by} claims${there}, too`
    return [{ application: name, problems: [{ code: 'route-taken', message }] }]
  })
}

type Claimant = { readonly name: string; readonly claim: Claim }

function requestsOf({ name, services }: Application): readonly Claimant[] {
  return services
    .flatMap(routesOf)
    .flatMap(claimedBy)
    .map(claim => ({ name, claim }))
}

async function withIngressAnew(
  state: DesiredState,
  reach: Reach | undefined,
  whereabouts: Whereabouts,
  context: () => Promise<PinContext>,
  signal: AbortSignal,
): Promise<DesiredState> {
  const remade = await withIngress(state, reach, whereabouts)
  if (remade.ingress === undefined) return remade
  const own = remade.applications.filter(({ name }) => name === ingressName)
  const alone = { ...remade, applications: own, blocked: [] }
  const pinned = await pinImages(alone, await context(), signal)
  return {
    ...remade,
    ...(pinned.ingress === undefined ? {} : { ingress: pinned.ingress }),
    applications: [...state.applications, ...pinned.applications],
    blocked: [...remade.blocked, ...pinned.blocked],
  }
}

function warningOf(
  { application, version, commit, who, reason, atMs }: HeldVersion,
  newest: DesiredState,
): Problem {
  const found = newest.applications.find(({ name }) => name === application)
  const wanted = found === undefined ? 'does not have it' : `has ${versionOf(found)}`
  const why = reason === '' ? '' : `: ${reason}`
  return {
    code: 'version-held',
    message: `${application} is held at version ${version} of commit ${shortCommit(commit)} by ${who} since ${timeText(atMs)}${why}; the newest commit ${wanted}`,
  }
}
