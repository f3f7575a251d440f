import { manySites } from './many-sites.ts'
import type { Usage } from './report-usage.ts'
import { median } from './statistics.ts'
import { duration, megabytes, type Row } from './table.ts'

export type SitesInput = {
  /** How many sites at most: a power of ten of at least 100. */
  readonly sites: number
  readonly say: (line: string) => void
}

const services = 20
const looks = 3

/** What one size of an environment took. */
type Measured = { readonly sites: number; readonly look: Usage; readonly plan: Usage; readonly status: Usage }

/** What a thousand sites may take; ten thousand may take ten times as long. */
const goals = { processorMs: 5_000, turnMs: 50 }

/** What the daemon may need in memory at most. */
const mostBytes: ReadonlyMap<number, number> = new Map([
  [1_000, 300 << 20],
  [10_000, 1_500 << 20],
])

/**
 * Processor time, memory and the longest turn of the event loop of a daemon over many simulated sites: for a look at all
 * of them without changes, and for the plans of one changed service. Each size has a daemon of its own.
 */
export async function measureSites({ sites, say }: SitesInput): Promise<readonly Row[]> {
  const measured: Measured[] = []
  for (let size = 100; size <= sites; size *= 10) {
    const one = await measure(size)
    say(`${size} sites: a look ${inWords(one.look)}; the plans ${inWords(one.plan)}`)
    measured.push(one)
  }
  return measured.flatMap((one, index) => rowsOf(one, measured[index - 1]))
}

async function measure(sites: number): Promise<Measured> {
  await using many = await manySites({ sites, services, asks: true })
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
  return { sites, look: inTheMiddle(all), plan, status }
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

function rowsOf({ sites, look, plan, status }: Measured, before: Measured | undefined): readonly Row[] {
  const all = `${sites.toLocaleString('en')} sites of ${services} services`
  const most = mostBytes.get(sites)
  return [
    processor(`a look at ${all}`, sites, look, before?.look),
    memory(`a look at ${all}, memory`, look, most),
    turn(`a look at ${all}, longest turn`, look),
    processor(`plans of one changed service on ${all}`, sites, plan, before?.plan),
    memory(`plans of one changed service on ${all}, memory`, plan, most),
    turn(`plans of one changed service on ${all}, longest turn`, plan),
    processor(`the status of ${all}`, sites, status, before?.status, false),
    turn(`the status of ${all}, longest turn`, status, false),
  ]
}

/** The ratio is that of ten times as many sites to ten times the processor time. */
function processor(what: string, sites: number, used: Usage, before: Usage | undefined, hasGoal = true): Row {
  const most = goals.processorMs * (sites / 1_000)
  return {
    what: `${what}, processor time`,
    measured: duration(used.processorMs),
    ...(before === undefined
      ? {}
      : {
          beside: `a tenth of the sites, ten times: ${duration(before.processorMs * 10)}`,
          ratio: used.processorMs / (before.processorMs * 10),
        }),
    ...(!hasGoal || sites < 1_000 ? {} : { goal: `≤ ${duration(most)}`, reached: used.processorMs <= most }),
  }
}

function memory(what: string, { mostBytes }: Usage, most: number | undefined): Row {
  const goal = most === undefined ? {} : { goal: `≤ ${megabytes(most)}`, reached: mostBytes <= most }
  return { what, measured: megabytes(mostBytes), ...goal }
}

function turn(what: string, { turnMs }: Usage, hasGoal = true): Row {
  const goal = hasGoal ? { goal: `≤ ${goals.turnMs} ms`, reached: turnMs <= goals.turnMs } : {}
  return { what, measured: duration(turnMs), ...goal }
}

function inWords({ processorMs, turnMs, mostBytes }: Usage): string {
  return `takes ${duration(processorMs)} of processor time and ${megabytes(mostBytes)}, turns of at most ${duration(turnMs)}`
}
