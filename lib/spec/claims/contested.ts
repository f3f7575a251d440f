import type { Problem } from '../../errors.ts'
import { type Claim, claimText, meet, rivalsAmong } from '../../state/application/claim.ts'
import type { Claimed, ClaimPlace, Noted } from './claims.ts'

/** A claim of something outside of the applications, and where it is configured, in words. */
export type Reserved = { readonly who: string; readonly claim: Claim; readonly where: string }

/**
 * Notes a fault for each claim of an application that conflicts with one of an earlier service, or with an earlier port
 * of the same service.
 */
export function faultContested(claims: readonly Noted[]): void {
  const ones = claims.map(one => ({
    ...one,
    id: one.place.pointer,
    owner: isOfOne(one.claim) ? one.place.pointer : one.service,
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
 * Returns the problems of applications that claim what others claim too, by name. Each names the place of the other
 * claim. What is reserved belongs to nobody else, and everything else belongs to the application that comes first. Only
 * conflicting requests belong to none of them (D19).
 */
export function contestedProblems(
  applications: readonly { readonly name: string; readonly claims: readonly Claimed[] }[],
  reserved: readonly Reserved[],
): ReadonlyMap<string, readonly Problem[]> {
  const own = reserved.map(({ who, claim, where }) => ({ claim, id: where, owner: who, place: undefined }))
  const theirs = applications.flatMap(({ name, claims }) =>
    claims.map(({ claim, place }) => ({ claim, id: `${name} ${place.pointer}`, owner: name, place })),
  )
  const problems = contests([...own, ...theirs], ({ of }) => of === 'requests').flatMap(
    ({ one: { owner, claim, place }, others, more }) => {
      if (place === undefined) return []
      const holders = others.map(other => `${placed(other)} claims${asWhat({ claim }, other)}`).join(' and ')
      const message = `${owner} claims ${claimText(claim)}, which ${holders}, too${more}`
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
}

type Contest<T> = {
  readonly one: T
  readonly others: readonly [T, ...T[]]
  readonly more: string
}

/**
 * Returns each claim that conflicts with an earlier one of another owner, or with any one if `isLevel` says that none
 * comes first. Only one owner decides which certificate a host has: the one that has the whole host, or else the first.
 * Of a range of ports the first one is returned, and the number of the others.
 */
function contests<T extends One>(
  all: readonly T[],
  isLevel: (claim: Claim) => boolean,
): readonly Contest<T>[] {
  const inOrder = all.toSorted((one, other) => rankOf(one.claim) - rankOf(other.claim))
  const rivalsOf = rivalsAmong(inOrder)
  const places = new Map(inOrder.map((one, place) => [one, place]))
  const placeOf = (one: T) => places.get(one) ?? 0
  const found = inOrder.flatMap(one => {
    const [first, ...rest] = firstOf(
      one.claim.of === 'certificate' ? theFirst(rivalsOf(one)) : rivalsOf(one),
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

function theFirst<T>([first]: Iterable<T>): readonly T[] {
  return first === undefined ? [] : [first]
}

function rankOf(claim: Claim): number {
  return claim.of === 'certificate' && !claim.isWhole ? 1 : 0
}
