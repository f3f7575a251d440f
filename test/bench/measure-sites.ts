import { paceFor } from '../../lib/writer/engine-claims.ts'
import { enginesElsewhere } from './engines-elsewhere.ts'
import { manySites } from './many-sites.ts'
import type { Usage } from './report-usage.ts'
import { median } from './statistics.ts'
import { duration, megabytes, type Row } from './table.ts'

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

function rowsOf({ sites, look, plan, status, rest }: Measured, before: Measured | undefined): readonly Row[] {
  const all = `${sites.toLocaleString('en')} sites of ${services} services`
  const fewer = (what: 'look' | 'plan' | 'status' | 'rest') =>
    before && { sites: before.sites, used: before[what] }
  return [
    processor(`a look at ${all}`, sites, look, fewer('look')),
    memory(`a look at ${all}, memory`, look, sites),
    turn(`a look at ${all}, longest turn`, look, sites),
    processor(`plans of one changed service on ${all}`, sites, plan, fewer('plan')),
    memory(`plans of one changed service on ${all}, memory`, plan, sites),
    turn(`plans of one changed service on ${all}, longest turn`, plan, sites),
    processor(`the status of ${all}`, sites, status, fewer('status'), false),
    turn(`the status of ${all}, longest turn`, status),
    processor(`${all} at rest, in each second`, sites, rest, fewer('rest'), false),
    { what: `${all} at rest, memory`, measured: megabytes(rest.bytes) },
  ]
}

function mostBytesOf(sites: number): number | undefined {
  if (sites < 1_000) return undefined
  return sites === 1_000 ? mostBytes.ofThousand : mostBytes.ofMore
}

/** The ratio is to what fewer sites take, times as many. */
function processor(
  what: string,
  sites: number,
  used: Usage,
  before: { readonly sites: number; readonly used: Usage } | undefined,
  hasGoal = true,
): Row {
  const most = goals.processorMs * (sites / 1_000)
  return {
    what: `${what}, processor time`,
    measured: duration(used.processorMs),
    ...(before === undefined
      ? {}
      : besideFewer(used.processorMs, before.used.processorMs, sites / before.sites)),
    ...(!hasGoal || sites < 1_000 ? {} : { goal: `≤ ${duration(most)}`, reached: used.processorMs <= most }),
  }
}

/** Compares processor time with so many times what fewer sites took, which would be linear. */
export function besideFewer(usedMs: number, fewerMs: number, times: number): Pick<Row, 'beside' | 'ratio'> {
  return { beside: `${times} times ${duration(fewerMs)}`, ratio: usedMs / (fewerMs * times) }
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
