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
import { createMarks, type Traces } from './marks.ts'
import { type ClaimAttempt, nextMove, type OwnPart } from './next-move.ts'

/**
 * Whose the claim is. `free`: nobody had it, and it was not to be taken. `isAlive`: the holder has answered a question
 * since we asked it. Without a holder, others took and gave it up while we looked, or wrote before.
 */
export type Whose =
  | { readonly is: 'ours' | 'free' }
  | { readonly is: 'theirs'; readonly holder?: EngineClaim; readonly isAlive: boolean }

/**
 * What is to follow from a look at a claim. `take`: it is taken if nobody has it, or if the holder is dead. `glance`: the
 * same, but where nobody has it nothing is made. `go on`: it is taken for a plan that was made since the traces were
 * forgotten. If another one left some since, nothing is done, because the plan is void.
 */
export type Aim = 'take' | 'glance' | 'go on'

/** One process's part in the claim on one environment on one engine. */
export type Holding = {
  /**
   * Asks the engine once whose the claim is, and does what follows: takes it; answers those who ask whether we are alive;
   * asks the holder. Fails if the engine does not say. At most one call at a time may be under way.
   */
  look(aim: Aim, signal: AbortSignal): Promise<Whose>
  /**
   * How long ago the engine was asked that last said that the claim is ours; `Infinity` if it is not ours, or nobody
   * knows.
   */
  ageMs(): number
  /** Whether something of ours may be on the engine. */
  mayBeThere(): boolean
  /** What was seen of the claim, and of others who wrote or may have, since it was forgotten last. */
  readonly traces: Traces
  /** The marks of all who wrote before, as the engine listed them last, and that which this process leaves if it writes. */
  marks(): readonly string[]
  /**
   * Leaves the mark of a process that writes while it holds the claim, in place of older ones. Giving the claim up then
   * takes no more than removing it.
   */
  leaveMark(signal: AbortSignal): Promise<void>
  /**
   * Gives the claim up. Leaves nothing behind, or a mark if this process wrote, or a dead one may have whose place it took:
   * whoever keeps another journal has to learn of it.
   */
  release(hasWritten: boolean, signal: AbortSignal): Promise<void>
}

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
  let isThere = false
  const marks = createMarks(me.id, {
    create: (mark, signal) => volumes.create(markName(claim, mark), plainLabels(claim, of, me), signal),
    remove: (mark, signal) => volumes.remove(markName(claim, mark), signal),
  })
  const { traces } = marks
  /** Whether it took the place of one that did not end well, which left no mark. */
  let hasSucceeded = false

  const read = async (signal: AbortSignal) => {
    // This process may have been stopped during the first one.
    for (const _ of ['first', 'again']) {
      const atMs = sinceBootMs()
      const seen = readClaims(claim, await volumes.list(claim, signal))
      marks.see(seen)
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
    marks.meet(made.mark)
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
  /** None of them may keep the process from waiting for the others. */
  const removeLast = async (claims: readonly number[], signal: AbortSignal) => {
    await Promise.allSettled([clear(claims, [], signal), marks.removeOlder(signal)])
  }
  const imitated = (number: number) => {
    const name = claimName(claim, number)
    return new Failure(
      'name-taken',
      `${options.site}: volume ${name} has the name of a claim, and no tallyman made it; this one only observes ${identity.environment}`,
      { resource: name, hint: `Remove it unless somebody needs it: docker volume rm ${name}` },
    )
  }
  const notOurs = <One extends Whose>(whose: One): One => {
    heldAtMs = Number.NEGATIVE_INFINITY
    return whose
  }
  const theirs = (holder: EngineClaim | undefined, isAlive: boolean) =>
    notOurs<Whose>({ is: 'theirs', isAlive, ...(holder === undefined ? {} : { holder }) })

  return {
    async look(aim, signal) {
      let answeredAtMs: number | undefined
      let { atMs, seen } = await read(signal)
      for (let moves = 0; moves < mostMoves; moves += 1) {
        if (aim === 'go on' && traces.hasNews)
          return theirs(
            seen.claims.find(({ holder }) => holder !== me.id),
            false,
          )
        const next = nextMove(seen, known, atMs, deadMs)
        switch (next.move) {
          case 'clear':
            if (answeredAtMs === undefined) {
              await clear(next.claims, next.asking, signal)
              answeredAtMs = atMs
              break
            }
            // A question that came while others were answered is answered by the next look. It may have waited since then.
            heldAtMs = answeredAtMs
            return { is: 'ours' }
          case 'hold':
            heldAtMs = atMs
            return { is: 'ours' }
          case 'confirm':
            hasSucceeded ||= known.tried?.after !== undefined
            known = { me, held: next.number }
            marks.win(next.mark)
            continue
          case 'create': {
            if (aim === 'glance' && next.after === undefined) return notOurs({ is: 'free' })
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
    mayBeThere: () => isThere,
    traces,
    marks: marks.all,
    async leaveMark(signal) {
      await marks.leave(signal)
      await marks.removeOlder(signal)
    },
    async release(hasWritten, signal) {
      const certainAtMs = heldAtMs
      heldAtMs = Number.NEGATIVE_INFINITY
      if (!isThere) return
      const isCertain = () => known.held !== undefined && sinceBootMs() - certainAtMs <= staleMs
      const leavesMark = hasWritten || hasSucceeded
      // The mark is there before the claim is gone. This process may be stopped meanwhile.
      if (isCertain() && leavesMark) await marks.leave(signal)
      if (isCertain() && known.held !== undefined) return removeLast([known.held], signal)
      const { seen } = await read(signal)
      const ours = seen.claims.filter(({ holder }) => holder === me.id)
      await clear(olderThan(seen, ours[0]), seen.asking.includes(me.id) ? [me.id] : [], signal)
      if (leavesMark && ours.length > 0) await marks.leave(signal)
      await removeLast(
        ours.map(({ number }) => number),
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
