import type { EngineClaim, SeenClaims } from './claim.ts'
import type { Claimant } from './machine.ts'

/** What a process knows besides what the engine lists. */
export type OwnPart = {
  readonly me: Claimant
  /** The number of the claim that is ours: it was created, and seen to count afterwards. */
  readonly held?: number
  /** The claim that was created last, or was about to be, and was not seen to count yet. */
  readonly tried?: ClaimAttempt
  /**
   * Since when a question of ours stands unanswered before a holder, in the time of `atMs`, and whether it has answered
   * an earlier one.
   */
  readonly asked?: { readonly holder: string; readonly sinceMs: number; readonly isAlive: boolean }
}

/** `isAsked`: it takes the place of a holder that did not answer, so it is void if the holder has answered since. */
export type ClaimAttempt = { readonly number: number; readonly after?: string; readonly isAsked: boolean }

/** What to do next. */
export type Move =
  /** The claim is ours. */
  | { readonly move: 'hold' }
  /** The claim is ours; claims that no longer count, and questions, are to be removed. */
  | { readonly move: 'clear'; readonly claims: readonly number[]; readonly asking: readonly string[] }
  | ({ readonly move: 'create' } & ClaimAttempt)
  /** What was tried counts: it is ours. */
  | { readonly move: 'confirm'; readonly number: number; readonly mark: string }
  /** What was tried, or was left, must not count. */
  | { readonly move: 'withdraw'; readonly number: number }
  /** Asks the holder whether it is alive. `isAlive`: it has answered before. */
  | { readonly move: 'ask'; readonly holder: EngineClaim; readonly isAlive: boolean }
  | { readonly move: 'wait'; readonly holder: EngineClaim; readonly isAlive: boolean }
  /** The volume with this number looks like a claim and is none. */
  | { readonly move: 'refuse'; readonly number: number }

/**
 * Decides what a process does about the claim on an engine, from what the engine lists (D17). At every moment, the claim
 * with the highest number counts, so at most one process is the holder. A process takes the place of another one only
 * if that is dead: it was on the same machine, where its machine-wide claim is free now, or it did not answer for
 * `deadMs`.
 *
 * - A claim is ours only if it was seen to count after it was created. If it takes the place of another, that one must
 *   be there still, and so must our question: whoever answers removes it.
 * - No times of two machines are compared.
 * @param atMs when the engine was asked
 */
export function nextMove(seen: SeenClaims, known: OwnPart, atMs: number, deadMs: number): Move {
  const { me, held, tried } = known
  const [first] = seen.claims
  if (seen.imitated > (first?.number ?? 0)) return { move: 'refuse', number: seen.imitated }
  if (first === undefined) return { move: 'create', number: 1, isAsked: false }
  if (first.holder === me.id) {
    if (first.number === held) return whileHeld(seen)
    return tried !== undefined && isFounded(seen, tried, me)
      ? { move: 'confirm', number: first.number, mark: first.mark }
      : { move: 'withdraw', number: first.number }
  }
  const ours = seen.claims.find(({ holder, number }) => holder === me.id && number !== held)
  if (ours !== undefined) return { move: 'withdraw', number: ours.number }
  return beforeAnother(seen, first, known, atMs, deadMs)
}

function whileHeld({ claims: [, ...older], asking }: SeenClaims): Move {
  if (older.length === 0 && asking.length === 0) return { move: 'hold' }
  return { move: 'clear', claims: older.map(({ number }) => number), asking }
}

/** Whether what was tried counts, and nothing has happened since that makes it void. */
function isFounded({ claims, asking }: SeenClaims, tried: ClaimAttempt, me: Claimant): boolean {
  const { number, after, isAsked } = tried
  if (claims[0]?.number !== number || (isAsked && !asking.includes(me.id))) return false
  return after === undefined || claims.some(one => one.number === number - 1 && one.holder === after)
}

function beforeAnother(
  seen: SeenClaims,
  holder: EngineClaim,
  { me, asked }: OwnPart,
  atMs: number,
  deadMs: number,
): Move {
  const instead = { number: holder.number + 1, after: holder.holder }
  if (holder.machine === me.machine) return { move: 'create', ...instead, isAsked: false }
  if (asked?.holder !== holder.holder) return { move: 'ask', holder, isAlive: false }
  if (!seen.asking.includes(me.id)) return { move: 'ask', holder, isAlive: true }
  if (atMs - asked.sinceMs < deadMs) return { move: 'wait', holder, isAlive: asked.isAlive }
  return { move: 'create', ...instead, isAsked: true }
}
