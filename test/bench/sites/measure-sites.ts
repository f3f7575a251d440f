import { paceFor } from '../../../lib/writer/engine-claims.ts'
import { enginesElsewhere } from '../engine/engines-elsewhere.ts'
import { growth } from '../report/linear.ts'
import { median } from '../report/statistics.ts'
import { duration, megabytes, type Row } from '../report/table.ts'
import { manySites } from './many-sites.ts'
import type { Usage } from './report-usage.ts'

export type SitesInput = {
  /** How many sites at most. */
  readonly sites: number
  readonly say: (line: string) => void
}

const services = 20
const looks = 3

/** What one size of an environment took. */
type Measured = {
  readonly sites: number
  readonly look: Usage
  readonly plan: Usage
  readonly status: Usage
  readonly rest: Usage
}

/** What a thousand sites may take; so many times as many may take so many times as long, at once and in all. */
const goals = { processorMs: 5_000, turnMs: 50 }

/** What the daemon may need in memory at most. */
const mostBytes = { ofThousand: 300 << 20, ofMore: 1_500 << 20 }

/**
 * Processor time, memory and the longest turn of the event loop of a daemon over many simulated sites: for a look at all
 * of them without changes, and for the plans of one changed service. Each size has a daemon of its own.
 */
export async function measureSites({ sites, say }: SitesInput): Promise<readonly Row[]> {
  const measured: Measured[] = []
  for (const size of sizesUpTo(sites)) {
    const one = await measure(size)
    say(`${size} sites: a look ${inWords(one.look)}; the plans ${inWords(one.plan)}`)
    say(`${size} sites at rest: ${duration(one.rest.processorMs)} of processor time in each second`)
    measured.push(one)
  }
  return measured.flatMap((one, index) => rowsOf(one, measured[index - 1]))
}

async function measure(sites: number): Promise<Measured> {
  await using many = await manySites({
    ...{ engines: enginesElsewhere, sites, services, asks: true },
    ...{ sitesInParallel: 50, hasWindows: true },
  })
  const { daemon, commit, passed } = many
  await daemon.during(() => daemon.ask('POST /api/v1/reconcile'), passed())
  const all: Usage[] = []
  while (all.length < looks)
    all.push(await daemon.during(() => daemon.ask('POST /api/v1/reconcile'), passed()))
  const plan = await daemon.during(() => commit(1), passed())
  const status = await daemon.during(
    () => daemon.ask('GET /api/v1/environments'),
    () => true,
  )
  // In this time, it looks after its claim on each of them once.
  const rest = await daemon.atRest(paceFor(sites).lookMs / 1_000)
  return { sites, look: inTheMiddle(all), plan, status, rest }
}

/** 100, 1,000 and so on, and at last as many as were asked for. */
export function sizesUpTo(sites: number): readonly number[] {
  const sizes = [100, 1_000, 10_000].filter(size => size < sites)
  return [...sizes, sites]
}

/** The medians of several looks, and the most memory. */
function inTheMiddle(all: readonly Usage[]): Usage {
  const middle = (key: keyof Usage) => median(all.map(usage => usage[key]))
  return {
    processorMs: middle('processorMs'),
    turnMs: middle('turnMs'),
    bytes: middle('bytes'),
    mostBytes: Math.max(...all.map(({ mostBytes }) => mostBytes)),
  }
}

function rowsOf(one: Measured, before: Measured | undefined): readonly Row[] {
  const { sites, look, plan, status, rest } = one
  const all = `${sites.toLocaleString('en')} sites of ${services} services`
  const subjects = {
    look: `a look at ${all}`,
    plan: `plans of one changed service on ${all}`,
    status: `the status of ${all}`,
    rest: `${all} at rest, in each second`,
  } as const
  const grown = (subject: keyof typeof subjects) =>
    before === undefined
      ? []
      : [
          growth(
            `${subjects[subject]}, growth of processor time`,
            one[subject].processorMs,
            before[subject].processorMs,
            sites / before.sites,
          ),
        ]
  return [
    processor(subjects.look, look, sites),
    ...grown('look'),
    memory(`${subjects.look}, memory`, look, sites),
    turn(`${subjects.look}, longest turn`, look, sites),
    processor(subjects.plan, plan, sites),
    ...grown('plan'),
    memory(`${subjects.plan}, memory`, plan, sites),
    turn(`${subjects.plan}, longest turn`, plan, sites),
    processor(subjects.status, status),
    ...grown('status'),
    turn(`${subjects.status}, longest turn`, status),
    processor(subjects.rest, rest),
    ...grown('rest'),
    { what: `${all} at rest, memory`, measured: megabytes(rest.bytes) },
  ]
}

function mostBytesOf(sites: number): number | undefined {
  if (sites < 1_000) return undefined
  return sites === 1_000 ? mostBytes.ofThousand : mostBytes.ofMore
}

/** Processor time, with the goal for so many sites; without them, there is none. */
function processor(what: string, { processorMs }: Usage, sites = 0): Row {
  const most = goals.processorMs * (sites / 1_000)
  return {
    what: `${what}, processor time`,
    measured: duration(processorMs),
    ...(sites < 1_000 ? {} : { goal: `≤ ${duration(most)}`, reached: processorMs <= most }),
  }
}

/** The most memory, with the goal for so many sites. */
export function memory(what: string, { mostBytes }: Usage, sites: number): Row {
  const most = mostBytesOf(sites)
  const goal = most === undefined ? {} : { goal: `≤ ${megabytes(most)}`, reached: mostBytes <= most }
  return { what, measured: megabytes(mostBytes), ...goal }
}

/** The longest turn, with the goal for so many sites; without them, there is none. */
export function turn(what: string, { turnMs }: Usage, sites?: number): Row {
  const most = sites === undefined ? undefined : goals.turnMs * Math.max(1, sites / 1_000)
  const goal = most === undefined ? {} : { goal: `≤ ${duration(most)}`, reached: turnMs <= most }
  return { what, measured: duration(turnMs), ...goal }
}

function inWords({ processorMs, turnMs, mostBytes }: Usage): string {
  return `takes ${duration(processorMs)} of processor time and ${megabytes(mostBytes)}, turns of at most ${duration(turnMs)}`
}
