import { factAhead } from '../../../fleet/spread/clock-set.ts'
import { factsWith, lastingFacts } from '../../../fleet/spread/facts/gist.ts'
import type { Runs } from '../../../journal/fleet/runs.ts'
import { asKnownNow } from '../../../state/fleet/as-known-now.ts'
import type { DeploymentRun, RecordedFact, RunFact } from '../../../state/fleet/run.ts'

/** The time of day, by which facts are recorded, and the steady clock, by which their time passes. */
export type Clock = { readonly nowMs: () => number; readonly steadyMs: () => number }

/** Where facts are on record, and the clock by which they are. */
export type FactRecords = Clock & { readonly journal: Pick<Runs, 'facts'> }

/**
 * What is known of runs, at times that count. Invariants:
 *
 * - What happened counts as long ago as the steady clock says, whatever the time of day was set to since.
 * - What an earlier process recorded counts from that time, or from now if it lies ahead.
 * - What was recorded since the run was read last is not older than that.
 */
export type CountedFacts = {
  /** Notes what both clocks show. Returns by how much the time of day was put forward since, in ms; 0: it was not set. */
  noteClock(clock: Clock): number
  /** Reads what is new of a run, and returns what is known of it. Says nothing of a clock that was set and not noted. */
  of(run: DeploymentRun, records: FactRecords): readonly RunFact[]
  /** Forgets the runs that nobody has asked about since it was called last. */
  forgetUnasked(): void
}

type Known = { readonly facts: readonly RunFact[]; readonly last: number; readonly readMs: number }

/** Creates the memory of a process that has read nothing. */
export function createCountedFacts(): CountedFacts {
  const known = new Map<number, Known>()
  const asked = new Set<number>()
  let offsetMs: number | undefined
  return {
    noteClock({ nowMs, steadyMs }) {
      const now = nowMs() - steadyMs()
      const before = offsetMs ?? now
      const byMs = asSet(now - before)
      offsetMs = before + byMs
      if (byMs === 0) return 0
      for (const [run, { facts, ...one }] of known)
        known.set(run, { ...one, facts: facts.map(fact => factAhead(fact, byMs)) })
      return byMs
    },
    of({ id }, { journal, nowMs, steadyMs }) {
      asked.add(id)
      const before = known.get(id)
      const { facts = [], last = 0, readMs = Number.NEGATIVE_INFINITY } = before ?? {}
      const more = journal.facts(id, last)
      const [now, steady] = [nowMs(), steadyMs()]
      if (more.length === 0 && before !== undefined) {
        known.set(id, { ...before, readMs: steady })
        return facts
      }
      const counted = more.map(({ fact }) => {
        const ageMs = Math.min(Math.max(0, now - fact.atMs), steady - readMs)
        return factAhead(fact, asSet(now - ageMs - fact.atMs))
      })
      const all = lastingFacts(withWhatIsNew(facts, counted))
      known.set(id, { facts: all, last: more.at(-1)?.entry ?? last, readMs: steady })
      return all
    },
    forgetUnasked() {
      for (const run of known.keys()) if (!asked.has(run)) known.delete(run)
      asked.clear()
    },
  }
}

/** Renamed sites, and those that begin anew, change what happened before. Anything else only follows. */
function withWhatIsNew(facts: readonly RunFact[], news: readonly RecordedFact[]): readonly RunFact[] {
  const changesPast = news.some(({ kind }) => kind === 'renamed' || kind === 'joined')
  return changesPast ? asKnownNow([...facts, ...news]) : factsWith(facts, asKnownNow(news))
}

/** A clock that is kept right in small steps was not set. */
function asSet(byMs: number): number {
  return Math.abs(byMs) < 1_000 ? 0 : byMs
}
