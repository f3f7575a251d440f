import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { ClaimVolumes } from '../../state/claim-volume.ts'
import { environmentInWords, type Identity } from '../../state/identity.ts'
import {
  askName,
  claimLabels,
  claimName,
  claimOn,
  type EngineClaim,
  markName,
  plainLabels,
  readClaim,
  readClaims,
  type SeenClaims,
} from './claim.ts'
import type { Claimant } from './machine.ts'
import { type ClaimAttempt, nextMove, type OwnPart } from './move.ts'

/**
 * Whose the claim is. `isAlive`: the holder has answered a question since we asked it. Without a holder, others took and
 * gave it up while we looked.
 */
export type Whose =
  | { readonly is: 'ours' }
  | { readonly is: 'theirs'; readonly holder?: EngineClaim; readonly isAlive: boolean }

/** One process's part in the claim on one environment on one engine. */
export type Holding = {
  /**
   * Asks the engine once whose the claim is, and does what follows: takes it if nobody has it, or if the holder is dead;
   * answers those who ask whether we are alive; asks the holder. Fails if the engine does not say. At most one call at a
   * time may be under way.
   */
  look(signal: AbortSignal): Promise<Whose>
  /**
   * How long ago the engine was asked that last said that the claim is ours; `Infinity` if it is not ours, or nobody
   * knows.
   */
  ageMs(): number
  /** What was seen of the claim, and of others who wrote or may have, since it was forgotten last. */
  readonly traces: Traces
  /** The marks of all who wrote before, as the engine listed them last, and that which this process leaves if it writes. */
  marks(): readonly string[]
  /**
   * Gives the claim up. Leaves nothing behind, or a mark if this process wrote, or a dead one may have whose place it took:
   * whoever keeps another journal has to learn of it.
   */
  release(hasWritten: boolean, signal: AbortSignal): Promise<void>
}

/** `hasWon`: the claim was won. `marks`: those of other holders, and of earlier ones who wrote and gave it up. */
export type Traces = { hasWon: boolean; readonly marks: Set<string> }

export type HoldingOptions = {
  readonly site: string
  readonly volumes: ClaimVolumes
  readonly identity: Identity
  readonly me: Claimant
  /** How long a holder may leave a question unanswered before it counts as dead. */
  readonly deadMs: number
  /** What the engine listed longer ago is not acted on. The process may have been stopped since. */
  readonly staleMs: number
  /** A clock that also counts while the machine sleeps. */
  readonly sinceBootMs: () => number
  /** Told of the mark of a claim before the engine gets it, so that it is not taken for another one's if this process dies. */
  readonly onMark: (mark: string) => void
}

/** Others may take and give up a claim while we try to. After so many moves, the next look goes on. */
const mostMoves = 12

/** Creates the part of a process that has not looked yet. */
export function createHolding(options: HoldingOptions): Holding {
  const { volumes, identity, me, deadMs, staleMs, sinceBootMs, onMark } = options
  const claim = claimOn(identity)
  const of = environmentInWords(identity)
  let known: OwnPart = { me }
  let heldAtMs = Number.NEGATIVE_INFINITY
  /** Whether anything of ours may be on the engine. */
  let isThere = false
  const traces: Traces = { hasWon: false, marks: new Set() }
  /** Of the claim that is ours. */
  let mark = ''
  let marks: readonly string[] = []
  /** Whether it took the place of one that did not end well, which left no mark. */
  let hasSucceeded = false

  const read = async (signal: AbortSignal) => {
    // This process may have been stopped during the first one.
    for (const _ of ['first', 'again']) {
      const atMs = sinceBootMs()
      const seen = readClaims(claim, await volumes.list(claim, signal))
      for (const one of seen.claims) if (one.holder !== me.id) traces.marks.add(one.mark)
      for (const one of seen.marks) if (!marks.includes(one)) traces.marks.add(one)
      marks = seen.marks
      if (sinceBootMs() - atMs <= staleMs) return { atMs, seen }
    }
    throw new Failure('engine-unreachable', `${options.site}: takes too long to say who writes there`)
  }
  const create = async (attempt: ClaimAttempt, signal: AbortSignal): Promise<EngineClaim | undefined> => {
    isThere = true
    known = { me, tried: attempt, ...(known.asked === undefined ? {} : { asked: known.asked }) }
    const own = randomUUID()
    onMark(own)
    const labels = claimLabels(claim, of, me, own, attempt.after)
    const made = readClaim(claim, await volumes.create(claimName(claim, attempt.number), labels, signal))
    if (made === undefined) throw imitated(attempt.number)
    if (made.holder === me.id) return undefined
    traces.marks.add(made.mark)
    return made
  }
  const ask = async ({ holder }: EngineClaim, isAlive: boolean, signal: AbortSignal) => {
    isThere = true
    await volumes.create(askName(claim, me.id), plainLabels(claim, of, me), signal)
    known = { ...known, asked: { holder, sinceMs: sinceBootMs(), isAlive } }
  }
  const clear = async (claims: readonly number[], asking: readonly string[], signal: AbortSignal) => {
    const names = [
      ...claims.map(number => claimName(claim, number)),
      ...asking.map(one => askName(claim, one)),
    ]
    await Promise.all(names.map(name => volumes.remove(name, signal)))
  }
  /** The mark is there before the claim is gone. */
  const giveUp = async (claims: readonly number[], hasWritten: boolean, signal: AbortSignal) => {
    const isMarked = claims.length > 0 && (hasWritten || hasSucceeded)
    if (isMarked) await volumes.create(markName(claim, mark), plainLabels(claim, of, me), signal)
    for (const number of claims) await volumes.remove(claimName(claim, number), signal)
    const older = isMarked ? marks.filter(one => one !== mark) : []
    await Promise.all(older.map(one => volumes.remove(markName(claim, one), signal)))
  }
  const imitated = (number: number) => {
    const name = claimName(claim, number)
    return new Failure(
      'name-taken',
      `${options.site}: volume ${name} has the name of a claim, and no tallyman made it; this one only observes ${identity.environment}`,
      { resource: name, hint: `Remove it unless somebody needs it: docker volume rm ${name}` },
    )
  }
  const theirs = (holder: EngineClaim | undefined, isAlive: boolean): Whose => {
    heldAtMs = Number.NEGATIVE_INFINITY
    return { is: 'theirs', isAlive, ...(holder === undefined ? {} : { holder }) }
  }

  return {
    async look(signal) {
      let isCleared = false
      let { atMs, seen } = await read(signal)
      for (let moves = 0; moves < mostMoves; moves += 1) {
        const next = nextMove(seen, known, atMs, deadMs)
        switch (next.move) {
          case 'clear':
            // A question that comes while others are answered is answered by the next look.
            if (!isCleared) {
              await clear(next.claims, next.asking, signal)
              isCleared = true
              break
            }
            heldAtMs = atMs
            return { is: 'ours' }
          case 'hold':
            heldAtMs = atMs
            return { is: 'ours' }
          case 'confirm':
            hasSucceeded ||= known.tried?.after !== undefined
            known = { me, held: next.number }
            mark = next.mark
            traces.hasWon = true
            continue
          case 'create': {
            const first = await create(next, signal)
            if (first !== undefined) return theirs(first, false)
            break
          }
          case 'withdraw':
            await volumes.remove(claimName(claim, next.number), signal)
            break
          case 'ask':
            await ask(next.holder, next.isAlive, signal)
            return theirs(next.holder, next.isAlive)
          case 'wait':
            return theirs(next.holder, next.isAlive)
          case 'refuse':
            heldAtMs = Number.NEGATIVE_INFINITY
            throw imitated(next.number)
        }
        ;({ atMs, seen } = await read(signal))
      }
      return theirs(undefined, false)
    },
    ageMs: () => sinceBootMs() - heldAtMs,
    traces,
    marks: () => [...marks, mark],
    async release(hasWritten, signal) {
      const isCertain = sinceBootMs() - heldAtMs <= staleMs
      heldAtMs = Number.NEGATIVE_INFINITY
      if (!isThere) return
      if (isCertain && known.held !== undefined) return giveUp([known.held], hasWritten, signal)
      const { seen } = await read(signal)
      const ours = seen.claims.filter(({ holder }) => holder === me.id)
      await clear(olderThan(seen, ours[0]), seen.asking.includes(me.id) ? [me.id] : [], signal)
      await giveUp(
        ours.map(({ number }) => number),
        hasWritten && ours.length > 0,
        signal,
      )
    },
  }
}

/** Returns the claims below ours, if ours counts: without ours, one of them would count again. */
function olderThan(
  { claims: [first, ...older] }: SeenClaims,
  ours: EngineClaim | undefined,
): readonly number[] {
  return ours === undefined || first !== ours ? [] : older.map(({ number }) => number)
}
