import { optional } from '../../object.ts'
import type { RecordedFact } from '../../state/fleet/run.ts'
import type { Stand } from './stand.ts'

/**
 * Returns a fact as if the clock had been ahead by this much when it was recorded, in ms, so that what began with it lasts
 * as long as it says, whatever the clock shows now. Pure.
 */
export function factAhead<Fact extends RecordedFact>(fact: Fact, byMs: number): Fact {
  if (byMs === 0) return fact
  return { ...ahead(fact, byMs), ...optional('recordedMs', recordedMsOf(fact)) }
}

/** Returns where a run stands as if the clock had been ahead by this much when its facts were recorded, in ms. Pure. */
export function standAhead(stand: Stand, byMs: number): Stand {
  const { brokenMs, ended, hindered, proving, batches, resumedMs, wait } = stand
  return {
    ...stand,
    brokenMs: ofEach(brokenMs, ms => ms + byMs),
    ended: ofEach(ended, ms => ms + byMs),
    hindered: ofEach(hindered, one => ahead(one, byMs)),
    proving: ofEach(proving, one => ahead(one, byMs)),
    batches: batches.map(batch => factAhead(batch, byMs)),
    ...optional('resumedMs', resumedMs === undefined ? undefined : resumedMs + byMs),
    wait: ahead(wait, byMs),
  }
}

/** Where it is compared with that of other records. */
function recordedMsOf(fact: RecordedFact): number | undefined {
  return fact.kind === 'batch' || fact.kind === 'had' ? (fact.recordedMs ?? fact.atMs) : undefined
}

type Times = { readonly atMs?: number; readonly sinceMs?: number; readonly untilMs?: number }

/** Puts forward those of its times that it has. */
function ahead<One extends object>(one: One & Times, byMs: number): One {
  const { atMs, sinceMs, untilMs } = one
  return {
    ...one,
    ...optional('atMs', atMs === undefined ? undefined : atMs + byMs),
    ...optional('sinceMs', sinceMs === undefined ? undefined : sinceMs + byMs),
    ...optional('untilMs', untilMs === undefined ? undefined : untilMs + byMs),
  }
}

function ofEach<Value>(
  known: ReadonlyMap<string, Value>,
  moved: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  return new Map([...known].map(([site, value]) => [site, moved(value)]))
}
