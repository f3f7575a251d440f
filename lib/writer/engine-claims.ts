import { sinceBootMs as realSinceBootMs } from '../clock.ts'
import { Failure } from '../errors.ts'
import type { ClaimVolumes } from '../state/claim-volume.ts'
import { environmentInWords, type Identity } from '../state/identity.ts'
import { claimOn, type EngineClaim, readClaims, type SeenClaims } from './on-engine/claim.ts'
import { createKeeper, type Keeper, type Pace } from './on-engine/keeper.ts'
import { type Claimant, thisProcess } from './on-engine/machine.ts'
import { createHolding } from './on-engine/take-claim.ts'

/**
 * At most one Tallyman writes to one environment on one engine, wherever it runs. The claim of `lib/writer.ts` sees only
 * the processes of one machine, and is made first; this one is a volume on the engine itself. It outlives a process
 * that is killed. The next process on the same machine takes its place at once; one on another machine asks first, and
 * waits for a minute.
 */
export type EngineClaims = {
  /** Returns the mark of the claim on an environment on a site, and claims nothing; undefined: nobody has it. */
  mark(site: ClaimedSite, identity: Identity, signal: AbortSignal): Promise<string | undefined>
  /** Keeps the claim on an environment on a site. */
  keep(site: ClaimedSite, identity: Identity, told: ClaimListener): Keeper
  /** Gives up one claim. */
  leave(keeper: Keeper): Promise<void>
  /** Gives up all claims. */
  release(): Promise<void>
}

/** `onNews`: the claim was won or lost. `onMark`: it is about to be tried with this mark. */
export type ClaimListener = { readonly onNews: () => void; readonly onMark: (mark: string) => void }

export type ClaimedSite = { readonly site: string; readonly claims: ClaimVolumes }

export type EngineClaimsOptions = {
  readonly me?: Claimant
  readonly pace?: Partial<Pace>
  readonly sinceBootMs?: () => number
  readonly random?: () => number
}

/**
 * A step that began when the lease was about to end has half a minute to reach the engine before somebody else may
 * begin.
 */
const usualPace = { deadMs: 60_000, freshMs: 10_000, leaseMs: 30_000 }

/**
 * Who has the claims on many engines, or waits for them, looks at each of them less often, at 50 of them in a second
 * unless that takes too long: a holder has to answer well within `deadMs`.
 */
const eachMs = 20
const looks = { leastMs: 20_000, mostMs: 40_000 }
const waits = { leastMs: 2_000, mostMs: 20_000 }

/** Creates the claims of a process, which has none yet. */
export function createEngineClaims(options: EngineClaimsOptions = {}): EngineClaims {
  const { me = thisProcess(), sinceBootMs = realSinceBootMs, random = Math.random } = options
  const keepers = new Set<Keeper>()
  const pace = (): Pace => ({ ...paceFor(keepers.size), ...options.pace })
  const leave = async (keeper: Keeper) => {
    keepers.delete(keeper)
    await keeper.release()
  }
  return {
    mark: async (site, identity, signal) => (await claimSeen(site, identity, signal))?.mark,
    keep({ site, claims: volumes }, identity, { onNews, onMark }) {
      const { deadMs, leaseMs: staleMs } = pace()
      const holding = createHolding({ site, volumes, identity, me, deadMs, staleMs, sinceBootMs, onMark })
      const whyNot = (holder: EngineClaim | undefined) =>
        holder === undefined ? writtenMeanwhile(site, identity) : heldElsewhere(site, identity, holder)
      const keeper = createKeeper({ holding, pace, random, sinceBootMs, onNews, whyNot })
      keepers.add(keeper)
      return keeper
    },
    leave,
    release: async () => void (await Promise.all([...keepers].map(leave))),
  }
}

/** Returns how often a process looks that has so many claims, or waits for them. */
export function paceFor(claims: number): Pace {
  return { ...usualPace, lookMs: forAll(claims, looks), waitMs: forAll(claims, waits) }
}

/** Returns how long it takes to look at so many engines one after the other, within limits. */
function forAll(engines: number, { leastMs, mostMs }: { leastMs: number; mostMs: number }): number {
  return Math.min(mostMs, Math.max(leastMs, engines * eachMs))
}

/** Returns the claim on an environment on a site, as the engine lists it, and claims nothing; undefined: there is none. */
export async function claimSeen(...asked: Parameters<typeof seenOn>): Promise<EngineClaim | undefined> {
  return (await seenOn(...asked)).claims[0]
}

/** Returns the marks of all who wrote to an environment on a site, or may have, as the engine lists them. */
export async function marksSeen(...asked: Parameters<typeof seenOn>): Promise<readonly string[]> {
  const { claims, marks } = await seenOn(...asked)
  return [...claims.map(({ mark }) => mark), ...marks]
}

async function seenOn(
  { claims: volumes }: ClaimedSite,
  identity: Pick<Identity, 'source' | 'environment'>,
  signal: AbortSignal,
): Promise<SeenClaims> {
  const claim = claimOn(identity)
  return readClaims(claim, await volumes.list(claim, signal))
}

/** Returns who writes instead: who it is, where, and since when. Undefined: that changed while it was asked. */
export function heldElsewhere(site: string, identity: Identity, holder: EngineClaim | undefined): Failure {
  return new Failure(
    'another-writer',
    `${site}: another tallyman runs ${writerInWords(identity, holder)}; this one only observes`,
  )
}

/** Returns why a plan is not carried out that was made before another process wrote. */
function writtenMeanwhile(site: string, identity: Identity): Failure {
  return new Failure(
    'another-writer',
    `${site}: another tallyman wrote to ${environmentInWords(identity)} after this was planned, which is not carried out any further`,
    { hint: 'Run the command again: it plans anew, by what is there now. A daemon does so by itself.' },
  )
}

/** Returns `environments/prod of ops/manifests, pid 71 on node-3 since 2026-03-01T11:00:00.000Z`. */
export function writerInWords(
  identity: Identity,
  holder: Pick<EngineClaim, 'who' | 'since'> | undefined,
): string {
  const who = holder === undefined ? '' : `, ${holder.who}`
  const since = holder?.since === undefined ? '' : ` since ${holder.since}`
  return `${environmentInWords(identity)}${who}${since}`
}
