import { expect } from 'chai'
import type { PassRecord } from '../../lib/journal/history.ts'
import type { TestMachine } from '../support/env.ts'
import { type Ended, type Ground, type Manifests, prepareGround } from './ground.ts'
import type { Point } from './point.ts'

/** From what to what, and what is to be there in the end, however often the process died on the way. */
export type Scenario = {
  readonly before?: Manifests | ((ground: Ground) => Manifests)
  readonly after: Manifests | ((ground: Ground) => Manifests)
  /** `done`: what is written runs. `put back`: it cannot run, and what ran before runs. */
  readonly ends: 'done' | 'put back'
  /** Every container, as `service image running`, sorted. */
  readonly containers: readonly string[]
  /** Every network, without the environment in front. */
  readonly networks: readonly string[]
  readonly healthyTime?: string
}

/** Passes at once: as many as two processors can take without the tests getting slower. */
const atOnce = 4

/**
 * Kills a pass before and after its first call, its second, and so on until one ends alive, each in an environment of
 * its own, and holds that the next run of the command line heals what is left. Returns what was going on at each of
 * those moments. Fails with all moments at which something was wrong.
 */
export async function surviveEvery(
  kind: Point['kind'],
  machine: TestMachine,
  scenario: Scenario,
): Promise<readonly string[]> {
  const moments: string[] = []
  const complaints: string[] = []
  let next = 0
  let ended = false
  const work = async () => {
    while (!ended) {
      const point: Point = { kind, index: next >> 1, when: next % 2 === 0 ? 'before' : 'after' }
      next += 1
      const { moment, complaint } = await survive(machine, scenario, point)
      if (moment === undefined) ended = true
      else moments.push(moment)
      if (complaint !== undefined) complaints.push(`${moment ?? 'not killed'}: ${complaint}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(complaints.join('\n')).to.equal('')
  return moments
}

type Survived = {
  /** `before stop-container …`; absent when the pass ended alive. */
  readonly moment?: string
  readonly complaint?: string
}

async function survive(machine: TestMachine, scenario: Scenario, point: Point): Promise<Survived> {
  const { before, after, healthyTime } = scenario
  await using ground = await prepareGround(machine, healthyTime === undefined ? {} : { healthyTime })
  const write = (manifests: Manifests | ((ground: Ground) => Manifests)) =>
    ground.write(typeof manifests === 'function' ? manifests(ground) : manifests)
  if (before !== undefined) {
    await write(before)
    const { outcome, errors } = await ground.look('apply')
    if (outcome !== 'applied')
      return { complaint: `cannot begin: ${outcome}: ${errors.map(({ message }) => message).join('; ')}` }
  }
  await write(after)
  const victim = await ground.crash(point)
  const moment = victim.killed ? `${point.when} ${point.index} ${victim.out}` : undefined
  try {
    if (victim.killed) {
      await checkRecovery(ground, scenario, point, victim)
    } else {
      expect(victim.out, victim.err).to.equal(scenario.ends === 'done' ? 'applied' : 'rolled-back')
      await checkEnd(ground, scenario)
      const plan = await ground.tallyman('plan', '--detailed-exitcode')
      expect(plan.code, plan.err).to.equal(scenario.ends === 'done' ? 0 : 1)
    }
    return moment === undefined ? {} : { moment }
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error)
    return { ...(moment === undefined ? {} : { moment }), complaint }
  }
}

/** Starts again, without a terminal and without an answer, and looks at what that came to. */
async function checkRecovery(ground: Ground, scenario: Scenario, point: Point, victim: Ended): Promise<void> {
  const { environment } = ground
  const left = ground.readJournal(journal => {
    const [last] = journal.log({ environment, limit: 1 })
    return {
      approved: journal.approvals(environment, Date.now()).some(({ who }) => who === 'ada'),
      pass: last === undefined ? undefined : journal.show(last.passId),
    }
  })
  if (point.kind === 'step') {
    expect(left.approved, 'the approval is remembered').to.equal(true)
    expect(left.pass?.outcome, 'the pass that died').to.equal('interrupted')
    expect(
      left.pass?.approvedBy.map(({ who }) => who),
      'who approved it',
    ).to.include('ada')
    expect(
      left.pass?.events.map(({ step }) => step),
      'the steps it began',
    ).to.include(victim.out)
  }
  if (!left.approved) await checkAsked(ground)
  const run = await ground.tallyman('apply', '--output', 'json', ...(left.approved ? [] : ['--yes']))
  expect(endsOf[scenario.ends], `started again: ${run.err}`).to.include(`${run.code} ${outcomeOf(run)}`)
  await checkEnd(ground, scenario)
  if (left.pass !== undefined && left.pass.outcome === 'interrupted') checkHistory(ground, left.pass)
}

/** Nobody approved anything yet: it must ask, and touch nothing. */
async function checkAsked(ground: Ground): Promise<void> {
  const before = await ground.containers()
  const run = await ground.tallyman('apply', '--output', 'json')
  expect([run.code, outcomeOf(run)], run.err).to.deep.equal([3, 'needs-confirmation'])
  expect(await ground.containers(), 'touched without an answer').to.deep.equal(before)
}

/** What started again may end with: exit code and outcome. A rollback is never a success (G6). */
const endsOf = {
  done: ['0 applied', '0 in-sync'],
  'put back': ['1 rolled-back', '1 failed'],
} as const

/** Exactly what is to run runs, and another look finds nothing to do. */
async function checkEnd(ground: Ground, { ends, containers, networks }: Scenario): Promise<void> {
  const there = await ground.containers()
  expect(there.map(({ text }) => text)).to.deep.equal(containers)
  expect(await ground.networks()).to.deep.equal(
    networks.map(name => (name === '' ? ground.environment : `${ground.environment}.${name}`)),
  )
  const { plan } = await ground.look('plan')
  const applied = ground.readJournal(journal => [...journal.applied(ground.environment).keys()])
  const services = new Set(containers.map(text => `local/${text.split(' ')[0]}/${text.split(' ')[0]}`))
  expect(applied.sort(), 'what is remembered as applied').to.deep.equal([...services])
  if (ends === 'done') {
    expect(plan?.changes.map(({ reason }) => reason)).to.deep.equal([])
    return
  }
  expect(plan?.changes.map(({ held }) => held?.code)).to.deep.equal(['quarantined'])
  const again = await ground.look('apply')
  expect([again.outcome, again.results]).to.deep.equal(['failed', []])
  expect(await ground.containers(), 'tried again').to.deep.equal(there)
}

/** The pass that died is still told as it was, and the one that went on rests on the same word. */
function checkHistory({ environment, readJournal }: Ground, died: PassRecord): void {
  readJournal(journal => {
    const told = journal.show(died.passId)
    expect([told?.outcome, told?.events]).to.deep.equal(['interrupted', died.events])
    const later = journal.log({ environment, afterPassId: died.passId, limit: 10 })
    expect(later.map(({ outcome }) => outcome)).to.not.include('running')
    for (const { approvedBy } of later.filter(({ outcome }) => outcome === 'applied'))
      expect(approvedBy.map(({ who }) => who)).to.include('ada')
  })
}

function outcomeOf({ out }: Ended): unknown {
  return out === '' ? undefined : JSON.parse(out).outcome
}
