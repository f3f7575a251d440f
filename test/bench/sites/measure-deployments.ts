import { setTimeout as pause } from 'node:timers/promises'
import { runFacts } from '../../../lib/journal/fleet/runs.ts'
import { openJournal } from '../../../lib/journal/journal.ts'
import type { RunFact } from '../../../lib/state/fleet/run.ts'
import { label } from '../../../lib/state/labels.ts'
import { paceFor } from '../../../lib/writer/engine-claims.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { type EngineElsewhere, enginesElsewhere } from '../engine/engines-elsewhere.ts'
import { besideFewer, growth } from '../report/linear.ts'
import { duration, type Row } from '../report/table.ts'
import { deployedService, type ManySites, manySites } from './many-sites.ts'
import { memory, sizesUpTo, turn } from './measure-sites.ts'
import type { Usage } from './report-usage.ts'

const services = 20
/** How many sites change at the same time. */
const batch = 50
/** Of a hundred sites, so many do not answer, and on so many the new version cannot start. */
const percent = { offline: 5, failing: 1 }

/** What a deployment to one number of sites took, and what came of it. */
type Deployed = {
  readonly sites: number
  /** Until it stops, because it failed or is done, all of these together. */
  readonly usage: Usage
  /** How long that took. */
  readonly seconds: number
  /** What the daemon takes in one second in which nothing is deployed. */
  readonly rest: Usage
  readonly facts: readonly RunFact[]
  readonly offline: ReadonlySet<string>
  readonly failing: ReadonlySet<string>
  /** On how many of the engines that answer a container of the version runs. */
  readonly running: number
}

/**
 * A new version of one of 20 services, in batches of 50 sites (A30 to A34). Some sites do not answer; on some others the
 * version cannot start, which ends the deployment. Each time somebody repairs the sites where it failed, and resumes it.
 */
export async function measureDeployments({
  sites,
  say,
}: {
  readonly sites: number
  readonly say: (line: string) => void
}): Promise<readonly Row[]> {
  const measured: Deployed[] = []
  for (const size of sizesUpTo(sites)) {
    const one = await deploy(size)
    say(`a deployment to ${size} sites takes ${duration(one.usage.processorMs)} of processor time`)
    measured.push(one)
  }
  return measured.flatMap((one, index) => [...costs(one, measured[index - 1]), ...rules(one)])
}

async function deploy(sites: number): Promise<Deployed> {
  await using many = await manySites({
    ...{ engines: enginesElsewhere, sites, services, asks: false, sitesInParallel: batch },
  })
  const { daemon, engines, commit, passed } = many
  await daemon.during(() => daemon.ask('POST /api/v1/reconcile'), passed())
  const offline = share(engines, percent.offline, 0)
  const failing = share(engines, percent.failing, 1)
  await daemon.during(
    async () => {
      for (const engine of offline.values()) await engine.off()
      await daemon.ask('POST /api/v1/reconcile')
      // Nobody can leave out a site before it is known that it does not answer.
      await waitUntil(
        'all that do not answer are known',
        async () => {
          // To be asked about all sites again and again would keep it from looking at them.
          await pause(sites / 2)
          const [{ unreachable = [] }] = await daemon.ask('GET /api/v1/environments')
          return unreachable.length === offline.size
        },
        600_000,
      )
    },
    () => true,
  )
  const repairs = new Map<string, () => Promise<unknown>>()
  for (const [site, engine] of failing)
    repairs.set(
      site,
      await engine.fault(/^POST \/containers\/[^/]+\/start$/, {
        status: 500,
        message: 'OCI runtime create failed: exec format error',
      }),
    )
  // In this time, it looks after its claim on each of them once.
  const rest = await daemon.atRest(paceFor(sites).lookMs / 1_000)
  const isDone = (facts: readonly RunFact[]) => reachedIn(facts).size === sites - offline.size
  const startedMs = performance.now()
  const usages = [await until(many, () => commit(1), isDone)]
  while (!isDone(factsOf(many))) {
    for (const fact of factsOf(many)) if (fact.kind === 'failed') await repairs.get(fact.site)?.()
    const resume = () => daemon.ask('POST /api/v1/resume', { application: deployedService })
    usages.push(await until(many, resume, isDone))
  }
  const answering = engines.filter((_, index) => !offline.has(`site-${index + 1}`))
  let running = 0
  for (const { socket } of answering) if (await runsVersion(socket)) running += 1
  return {
    ...{ sites, running },
    usage: together(usages),
    seconds: (performance.now() - startedMs) / 1_000,
    rest,
    facts: factsOf(many),
    offline: new Set(offline.keys()),
    failing: new Set(failing.keys()),
  }
}

/** Whether an engine runs the new version: what it says itself, and not what is on record. */
async function runsVersion(socketPath: string): Promise<boolean> {
  const { body } = await httpCall({ socketPath, method: 'GET', path: '/containers/json' })
  const all: readonly { readonly State: string; readonly Labels: Readonly<Record<string, string>> }[] =
    JSON.parse(body.toString())
  return all.some(
    ({ State, Labels }) =>
      State === 'running' &&
      Labels[label.application] === deployedService &&
      Labels[label.image]?.endsWith(':2'),
  )
}

/** What the daemon uses until the deployment is stopped by a failure or done. */
function until(
  many: ManySites<EngineElsewhere>,
  work: () => Promise<unknown>,
  isDone: (facts: readonly RunFact[]) => boolean,
): Promise<Usage> {
  const before = factsOf(many).length
  return many.daemon.during(work, () => {
    const facts = factsOf(many)
    return isDone(facts) || facts.slice(before).some(({ kind }) => kind === 'failed')
  })
}

/** What happened in the run of version 2; the run before it only found that all sites have version 1. */
function factsOf({ journal: file }: Pick<ManySites<unknown>, 'journal'>): readonly RunFact[] {
  const journal = openJournal(file, { readOnly: true })
  try {
    const run = journal.run('prod', deployedService)
    return run?.version === '2' ? runFacts(journal, run) : []
  } finally {
    journal.close()
  }
}

/** Returns so many of a hundred engines, spread over all of them, by the name of their site. */
function share(
  engines: readonly EngineElsewhere[],
  percent: number,
  offset: number,
): ReadonlyMap<string, EngineElsewhere> {
  const every = 100 / percent
  return new Map(
    engines.flatMap((engine, index) => (index % every === offset ? [[`site-${index + 1}`, engine]] : [])),
  )
}

function together(all: readonly Usage[]): Usage {
  const most = (key: keyof Usage) => Math.max(...all.map(usage => usage[key]))
  return {
    processorMs: all.reduce((sum, { processorMs }) => sum + processorMs, 0),
    turnMs: most('turnMs'),
    bytes: most('bytes'),
    mostBytes: most('mostBytes'),
  }
}

function costs(one: Deployed, fewer: Deployed | undefined): readonly Row[] {
  const { sites, usage, seconds, facts } = one
  const what = `a deployment to ${sites.toLocaleString('en')} sites of ${services} services`
  const batches = facts.filter(({ kind }) => kind === 'batch').length
  return [
    {
      what: `${what}, processor time`,
      measured: duration(usage.processorMs),
      ...(fewer && besideFewer(usage.processorMs, fewer.usage.processorMs, sites / fewer.sites)),
    },
    own(one, fewer, `${what}, without what the daemon takes at rest in its ${seconds.toFixed(0)} s`),
    {
      what: `${what}, processor time of each of ${batches} batches`,
      measured: duration(usage.processorMs / batches),
    },
    memory(`${what}, memory`, usage, sites),
    turn(`${what}, longest turn`, usage, sites),
  ]
}

function own(one: Deployed, fewer: Deployed | undefined, what: string): Row {
  return fewer === undefined
    ? { what, measured: duration(ownMs(one)) }
    : growth(what, ownMs(one), ownMs(fewer), one.sites / fewer.sites)
}

/** A deployment in batches of one size lasts the longer the more sites there are, and all of them are looked after meanwhile. */
function ownMs({ usage, rest, seconds }: Deployed): number {
  return usage.processorMs - rest.processorMs * seconds
}

/** Whether the deployment behaved as its rules say. */
function rules({ sites, facts, offline, failing, running }: Deployed): readonly Row[] {
  const reached = reachedIn(facts)
  const drawn = new Set(facts.flatMap(fact => (fact.kind === 'batch' ? fact.sites : [])))
  const failed = new Set(facts.flatMap(fact => (fact.kind === 'failed' ? [fact.site] : [])))
  const told = (what: string, measured: number, wanted: number): Row => ({
    what: `${what}, in a deployment to ${sites.toLocaleString('en')} sites`,
    measured: String(measured),
    goal: String(wanted),
    reached: measured === wanted,
  })
  return [
    told('sites that have the version', reached.size, sites - offline.size),
    told('engines that run the version', running, sites - offline.size),
    told('sites that do not answer and were drawn', count(drawn, offline), 0),
    told('sites where it failed', count(failed, failing), failing.size),
    told('sites where it failed without a cause', failed.size - count(failed, failing), 0),
    told('batches that were drawn before the one before was done', tooEarly(facts), 0),
    told('the most sites that changed at the same time', mostAtOnce(facts), batch),
  ]
}

function reachedIn(facts: readonly RunFact[]): ReadonlySet<string> {
  return new Set(facts.flatMap(fact => (fact.kind === 'reached' ? [fact.site] : [])))
}

function count(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return [...some].filter(one => others.has(one)).length
}

/** Counts batches that were drawn while a site of the one before had not reached the version. */
function tooEarly(facts: readonly RunFact[]): number {
  return facts.filter((fact, index) => fact.kind === 'batch' && underWay(facts.slice(0, index)).size > 0)
    .length
}

function mostAtOnce(facts: readonly RunFact[]): number {
  return Math.max(...facts.map((_, index) => underWay(facts.slice(0, index + 1)).size))
}

/** The sites that were told to go on to the version, and have not reached it. */
function underWay(facts: readonly RunFact[]): ReadonlySet<string> {
  const reached = reachedIn(facts)
  const drawn = facts.flatMap(fact => (fact.kind === 'batch' ? fact.sites : []))
  return new Set(drawn.filter(site => !reached.has(site)))
}
