import type { Problem } from '../../errors.ts'
import { type Claim, claimKey, claimText, hostPort, meet } from '../../state/application/claim.ts'
import type { Container } from '../../state/application/container/container.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { membersOf } from '../../state/application/members.ts'
import type { LiveState } from '../../state/running/live.ts'
import { keyOf, placeName, splitKey } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import type { InstanceSpecification } from '../compare/field/fields.ts'
import { groupInstances, isUp, type LiveInstance } from '../compare/instance/instance.ts'
import type { Held } from '../hold/held.ts'

/** The changes that need what others give up, by key. Those others are done first, and have to succeed. */
export type Handovers = ReadonlyMap<string, readonly Handover[]>

/** `from`: the key of the change that gives something up. `what`: that, in words. */
export type Handover = { readonly from: string; readonly what: string }

/** The facts that decide about a handover. */
export type Stock = {
  readonly desired: DesiredState
  readonly differences: readonly Difference[]
  /** What the site runs, including blocked applications. */
  readonly live: LiveState
  /** Returns what an instance was made from. If that is unknown, so is what it has. */
  readonly specificationOf: (fingerprint: string) => InstanceSpecification | undefined
}

/** A running instance that has something that only one can have. */
type Holder = { readonly key: string; readonly application: string; readonly instance: LiveInstance }

/** What it has. A volume is no claim, because others may share it. */
type Holding = { readonly holder: Holder } & ({ readonly claim: Claim } | { readonly volume: string })

/** By the text that is equal for all claims that may exclude each other. */
type Holdings = ReadonlyMap<string, readonly Holding[]>

/**
 * Finds what passes from one service to another: a port of the host, or a volume that only one may use. The service
 * that takes it comes after the one that gives it up. If a port cannot be given up now, the service that needs it is
 * held. So are services that wait for each other in a circle. `hold` receives what is held, and returns what else is
 * held because of that.
 */
export function handOver(
  stock: Stock,
  held: ReadonlyMap<Difference, Held>,
  hold: (more: ReadonlyMap<Difference, Held>) => ReadonlyMap<Difference, Held>,
): { readonly handovers: Handovers; readonly held: ReadonlyMap<Difference, Held> } {
  let there: Holdings | undefined
  const holdings = () => {
    there ??= holdingsOn(stock.live, stock)
    return there
  }
  for (let known = held; ; ) {
    const { edges, stuck } = round(stock, holdings, known)
    if (stuck.size === 0) return { handovers: edges, held: known }
    known = hold(new Map([...known, ...stuck]))
  }
}

/**
 * Returns warnings about removals, which a person has to confirm, that come before a change that takes over what they
 * remove.
 */
export function removalsFirst(differences: readonly Difference[], handovers: Handovers): readonly Problem[] {
  const removed = new Map(
    differences.flatMap(one => (one.kind === 'orphaned' ? [[keyOf(one), one.reason] as const] : [])),
  )
  return [...handovers].flatMap(([taker, givers]) =>
    givers.flatMap(({ from }) => {
      const reason = removed.get(from)
      if (reason === undefined) return []
      const message = `${nameOfKey(taker)} takes over from ${nameOfKey(from)} (${reason}): it waits until that removal is confirmed`
      return [{ code: 'removal-first' as const, message }]
    }),
  )
}

/** Returns which services take over from which under these holds, and which more have to be held. */
function round(
  stock: Stock,
  holdings: () => Holdings,
  held: ReadonlyMap<Difference, Held>,
): { readonly edges: Handovers; readonly stuck: ReadonlyMap<Difference, Held> } {
  const byKey = new Map(stock.differences.map(difference => [keyOf(difference), difference]))
  const due = dueIn(stock, held)
  const edges = new Map<string, readonly Handover[]>()
  const stuck = new Map<Difference, Held>()
  for (const taker of stock.differences) {
    if (held.has(taker)) continue
    const key = keyOf(taker)
    for (const holding of needed(taker, holdings)) {
      const { holder } = holding
      const giver = byKey.get(holder.key)
      const isGivenUp = giver?.surplus.some(one => isSame(one, holder.instance)) === true && !held.has(giver)
      const isCircle = isGivenUp && comesAfter(holder.key, key, edges, due)
      if (isGivenUp && !isCircle) edges.set(key, withHandover(edges.get(key) ?? [], holding))
      else if ('claim' in holding) {
        const { claim } = holding
        stuck.set(
          taker,
          isCircle ? inCircle(claim, holder) : kept(claim, holder, giver && held.get(giver), stock.desired),
        )
      }
    }
  }
  return { edges, stuck }
}

/** Of several things that one change gives up, the first is told. */
function withHandover(known: readonly Handover[], holding: Holding): readonly Handover[] {
  const { key: from } = holding.holder
  if (known.some(one => one.from === from)) return known
  const what = 'claim' in holding ? claimText(holding.claim) : `the volume ${holding.volume}`
  return [...known, { from, what }]
}

/** Returns what a service needs for what it starts, and others have; the first thing for each of them. */
function needed(
  { site, application, service, missing, faults, beside = [] }: Difference,
  holdings: () => Holdings,
): readonly Holding[] {
  const starting = [
    ...missing.map(({ instance }) => instance),
    ...faults.flatMap(({ what, wanted }) => (what.is === 'stopped' ? [wanted.instance] : [])),
  ]
  const members = starting.flatMap(membersOf)
  const [claims, volumes] = [members.flatMap(portsOf), members.flatMap(volumesOf)]
  // Most services need neither. What the others have is then of no interest.
  if (claims.length + volumes.length === 0) return []
  const there = holdings()
  const found = [
    ...claims.flatMap(claim => {
      const rivals = there.get(claimKey(claim)) ?? []
      return rivals
        .filter(rival => 'claim' in rival && meet(claim, rival.claim))
        .map(({ holder }) => ({ holder, claim }))
    }),
    ...volumes.flatMap(name => there.get(placeOfVolume(name)) ?? []),
  ]
  const own = keyOf({ site, application, service })
  const others = found.filter(
    ({ holder: { key, instance } }) => key !== own && !beside.some(one => isSame(one, instance)),
  )
  return [...new Map(others.toReversed().map(one => [one.holder, one])).values()].toReversed()
}

/** What is done now, for those who ask what comes after what. */
type Due = {
  readonly byKey: ReadonlyMap<string, Difference>
  /** Of each application that is wanted. */
  readonly keysOf: ReadonlyMap<string, readonly string[]>
  readonly requires: ReadonlyMap<string, readonly string[]>
}

function dueIn({ desired, differences }: Stock, held: ReadonlyMap<Difference, Held>): Due {
  const due = differences.filter(difference => !held.has(difference))
  const wanted = Map.groupBy(
    due.filter(({ kind }) => kind !== 'orphaned'),
    ({ application }) => application,
  )
  return {
    byKey: new Map(due.map(difference => [keyOf(difference), difference])),
    keysOf: new Map([...wanted].map(([application, of]) => [application, of.map(keyOf)])),
    requires: new Map(
      desired.applications.map(({ name, requires }) => [
        name,
        requires.map(({ application }) => application),
      ]),
    ),
  }
}

/** Whether one change comes after another, because its application requires it or because it takes over something. */
function comesAfter(key: string, other: string, edges: Handovers, { byKey, keysOf, requires }: Due): boolean {
  const [seen, required] = [new Set([key]), new Set<string>()]
  for (const one of seen) {
    if (one === other) return true
    for (const { from } of edges.get(one) ?? []) seen.add(from)
    const of = byKey.get(one)
    if (of === undefined || of.kind === 'orphaned') continue
    for (const application of requires.get(of.application) ?? []) {
      if (required.has(application)) continue
      required.add(application)
      for (const each of keysOf.get(application) ?? []) seen.add(each)
    }
  }
  return false
}

function holdingsOn(live: LiveState, { specificationOf }: Stock): Holdings {
  const services = Map.groupBy(live.containers, ({ application, service }) => `${application}/${service}`)
  const all = [...services.values()].flatMap(containers =>
    groupInstances(containers)
      .filter(isUp)
      .flatMap(instance => {
        const [{ application, service }] = instance.containers
        const holder = { key: keyOf({ site: live.site, application, service }), application, instance }
        const members = specificationOf(instance.fingerprint)?.containers ?? []
        return [
          ...members.flatMap(portsOf).map(claim => [claimKey(claim), { holder, claim }] as const),
          ...members
            .flatMap(soleVolumesOf)
            .map(volume => [placeOfVolume(volume), { holder, volume }] as const),
        ]
      }),
  )
  const places = Map.groupBy<string, readonly [string, Holding]>(all, ([place]) => place)
  return new Map([...places].map(([place, entries]) => [place, entries.map(([, holding]) => holding)]))
}

function portsOf({ ports = [] }: Container): readonly Claim[] {
  return ports.flatMap(port => hostPort(port) ?? [])
}

function volumesOf({ mounts = [] }: Container): readonly string[] {
  return mounts.flatMap(mount => (mount.kind === 'volume' ? [mount.volume] : []))
}

function soleVolumesOf({ mounts = [] }: Container): readonly string[] {
  return mounts.flatMap(mount => (mount.kind === 'volume' && mount.exclusive ? [mount.volume] : []))
}

function placeOfVolume(name: string): string {
  return `volume ${name}`
}

/** Two observations of one instance have the same containers. */
function isSame(one: LiveInstance, other: LiveInstance): boolean {
  return one.containers[0].id === other.containers[0].id
}

function kept(
  claim: Claim,
  { key, application }: Holder,
  why: Held | undefined,
  desired: DesiredState,
): Held {
  const isBlocked = desired.blocked.some(blocked => blocked.application === application)
  const reason = why?.reason ?? (isBlocked ? 'it is blocked' : 'it keeps it')
  return {
    code: 'claim-held',
    reason: `needs ${claimText(claim)}, which ${nameOfKey(key)} still has: ${reason}`,
  }
}

function inCircle(claim: Claim, { key }: Holder): Held {
  return {
    code: 'claim-held',
    reason: `needs ${claimText(claim)} from ${nameOfKey(key)}, which changes only after it: change them one after the other, in two commits`,
  }
}

function nameOfKey(key: string): string {
  return placeName(splitKey(key))
}
