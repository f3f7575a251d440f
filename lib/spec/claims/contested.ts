import type { Problem } from '../../errors.ts'
import { type Claim, claimText, meet, rivalsAmong } from '../../state/application/claim.ts'
import { everySite, noSite, type SiteSet, shareSite } from '../../state/fleet/site-set.ts'
import type { Claimed, ClaimPlace, Noted } from './claims.ts'

/** What an application claims, on the sites that are to have it. */
export type ClaimingApplication = {
  readonly name: string
  readonly claims: readonly Claimed[]
  /** It is asked for only where somebody else claims something of the same kind and name. */
  readonly sites: () => SiteSet
}

/** A claim of something outside of the applications, where it is configured, in words, and the sites that have it. */
export type Reserved = {
  readonly who: string
  readonly claim: Claim
  readonly where: string
  readonly sites: () => SiteSet
}

/** The sites that are judged, and which of several sites is told. */
export type JudgedSites = {
  readonly within: SiteSet
  /** Returns the name of one that is judged; undefined: these are all sites, and none has to be named. */
  readonly nameIn: (sites: SiteSet) => string | undefined
}

/**
 * Notes a fault for each claim of an application that conflicts with one of an earlier service, or with an earlier port
 * of the same service.
 */
export function faultContested(claims: readonly Noted[]): void {
  const ones = claims.map(one => ({
    ...one,
    id: one.place.pointer,
    owner: isOfOne(one.claim) ? one.place.pointer : one.service,
    sites: () => everySite,
  }))
  for (const { one, others, more } of contests(ones, () => false)) {
    const [other] = others
    one.place.fault(`claims ${claimText(one.claim)}${besides(one, other)}${more}`)
  }
}

/** Whether a service itself cannot have it twice. */
function isOfOne({ of }: Claim): boolean {
  return of === 'port' || of === 'certificate'
}

function besides(one: Noted, other: Noted): string {
  if (other.service !== one.service)
    return `, which the service ${other.service} claims${asWhat(one, other)}, too`
  const [own, earlier] = [claimText(one.claim), claimText(other.claim)]
  return own === earlier ? ' a second time' : `, and ${earlier} is claimed already`
}

/**
 * Returns the problems of applications that claim what others claim too on a site that is to have both, by name. Each
 * names the place of the other claim, and such a site. What is reserved belongs to nobody else, and everything else
 * belongs to the application that comes first. Only conflicting requests belong to none of them (D19).
 */
export function contestedProblems(
  applications: readonly ClaimingApplication[],
  reserved: readonly Reserved[],
  { within, nameIn }: JudgedSites,
): ReadonlyMap<string, readonly Problem[]> {
  const judged = (all: () => SiteSet) => ({ all, sites: () => all() & within })
  const own = reserved.map(({ who, claim, where, sites }) => ({
    ...{ claim, id: where, owner: who, place: undefined },
    ...judged(sites),
  }))
  const theirs = applications.flatMap(({ name, claims, sites }) =>
    claims.map(({ claim, place }) => ({
      ...{ claim, id: `${name} ${place.pointer}`, owner: name, place },
      ...judged(sites),
    })),
  )
  const problems = contests([...own, ...theirs], ({ of }) => of === 'requests').flatMap(
    ({ one: { owner, claim, place, all }, others, more }) => {
      if (place === undefined) return []
      const holders = others.map(other => {
        const site = nameIn(all() & other.all())
        const there = site === undefined ? '' : ` on ${site}`
        return `${placed(other)} claims${asWhat({ claim }, other)}${there}`
      })
      const message = `${owner} claims ${claimText(claim)}, which ${holders.join(' and ')}, too${more}`
      return [{ owner, problem: { code: codes[claim.of], message, position: place.position() } }]
    },
  )
  const byOwner = Map.groupBy(problems, ({ owner }) => owner)
  return new Map([...byOwner].map(([owner, all]) => [owner, all.map(({ problem }) => problem)]))
}

const codes = {
  requests: 'route-taken',
  port: 'port-claimed',
  certificate: 'certificate-claimed',
  name: 'name-claimed',
} as const satisfies Record<Claim['of'], Problem['code']>

/** Returns `shop (applications/shop.yaml:4)` or `the ingress of prod (/ingress/http in tallyman.yaml)`. */
function placed({
  owner,
  id,
  place,
}: {
  readonly owner: string
  readonly id: string
  readonly place?: ClaimPlace | undefined
}): string {
  if (place === undefined) return `${owner} (${id})`
  const { file, line } = place.position()
  return `${owner} (${line === undefined ? file : `${file}:${line}`})`
}

function asWhat(one: { readonly claim: Claim }, other: { readonly claim: Claim }): string {
  const [own, theirs] = [claimText(one.claim), claimText(other.claim)]
  return own === theirs ? '' : ` as ${theirs}`
}

type One = {
  readonly claim: Claim
  /** Where it is written. */
  readonly id: string
  /** Claims of the same owner do not conflict. */
  readonly owner: string
  /** Claims without a site of both do not conflict. */
  readonly sites: () => SiteSet
}

type Contest<T> = {
  readonly one: T
  readonly others: readonly [T, ...T[]]
  readonly more: string
}

/**
 * Returns each claim that conflicts with an earlier one of another owner, or with any one if `isLevel` says that none
 * comes first. On each site, only one owner decides which certificate a host has: the one that has the whole host, or
 * else the first.
 * Of a range of ports the first one is returned, and the number of the others.
 */
function contests<T extends One>(
  all: readonly T[],
  isLevel: (claim: Claim) => boolean,
): readonly Contest<T>[] {
  const inOrder = all.toSorted((one, other) => rankOf(one.claim) - rankOf(other.claim))
  const rivalsOf = rivalsAmong(inOrder, ({ sites }) => sites())
  const places = new Map(inOrder.map((one, place) => [one, place]))
  const placeOf = (one: T) => places.get(one) ?? 0
  const found = inOrder.flatMap(one => {
    const [first, ...rest] = firstOf(
      one.claim.of === 'certificate' ? firstOnSites(one, rivalsOf(one)) : rivalsOf(one),
      other =>
        other.owner !== one.owner &&
        (isLevel(one.claim) || placeOf(other) < placeOf(one)) &&
        meet(one.claim, other.claim),
    )
    return first === undefined ? [] : [{ one, others: [first, ...rest] as const }]
  })
  const alike = Map.groupBy(found, ({ one, others }) => [one, ...others].map(({ id }) => id).join('\n'))
  return [...alike.values()].flatMap(([first, ...rest]) => {
    const more = rest.length === 0 ? '' : `, and ${rest.length} more like it`
    return first === undefined ? [] : [{ ...first, more }]
  })
}

/**
 * Returns the first few matches. If thousands claimed the same, each would otherwise be listed with all others (G24).
 */
function firstOf<T>(all: Iterable<T>, isMeant: (one: T) => boolean): readonly T[] {
  const found: T[] = []
  for (const one of all) {
    if (found.length === mostTold) break
    if (isMeant(one)) found.push(one)
  }
  return found
}

const mostTold = 3

/** Returns, of the rivals of a claim, those that come first on one of its sites. */
function* firstOnSites<T extends One>(one: T, rivals: Iterable<T>): Iterable<T> {
  let left = one.sites()
  for (const rival of rivals) {
    const sites = rival.sites()
    if (!shareSite(left, sites)) continue
    yield rival
    left &= ~sites
    if (left === noSite) return
  }
}

function rankOf(claim: Claim): number {
  return claim.of === 'certificate' && !claim.isWhole ? 1 : 0
}
