import { expect } from 'chai'
import type { PassRecord } from '../../../lib/journal/history/history.ts'
import type { TestMachine } from '../../support/suite/env.ts'
import { type Ended, type Ground, type Manifests, prepareGround } from './ground.ts'
import type { Point } from './point.ts'

/** What is written, and what runs then: every container, or task of a Swarm, as `service image:tag running`, sorted. */
export type Side = {
  readonly manifests: Manifests | ((ground: Ground) => Manifests)
  readonly containers: readonly string[]
  /** What else is to hold once a rollout to it has ended, however that ended. */
  readonly check?: (ground: Ground) => Promise<void>
}

/** From what to what, and what is to be there in the end, wherever the process died on the way. */
export type Scenario = {
  /** Absent: nothing. */
  readonly before?: Side
  readonly after: Side
  /** `done`: what is written runs. `put back`: it cannot run, and what ran before runs. */
  readonly ends: 'done' | 'put back'
  /** Why what was put back is not tried again; absent: it is quarantined. */
  readonly held?: 'barred' | 'quarantined'
  /** Every network in the end, without the environment's name in front. */
  readonly networks: readonly string[]
  readonly healthyTime?: string
  readonly config?: (registry: string) => object
  readonly kind?: 'swarm'
  /** It is started again in this process, which costs half of what a command line does. */
  readonly startedAgain?: 'here'
  /**
   * Where the next moment is tried. `fresh`: in an environment of its own. `back and forth`: in the same one, the
   * other way round. `again`: in the same one, once more.
   */
  readonly next: 'fresh' | 'back and forth' | 'again'
  /** `before`: where steps follow one another, for after one step is before the next. */
  readonly when: readonly Point['when'][]
  /** How often a pass may die; 100 times unless it is said otherwise. */
  readonly most?: number
  /** How many are tried at a time; as many as two processors can take unless it is said otherwise. Each lane begins one more at the end. */
  readonly lanes?: number
}

const usualLanes = 3

/** No pass has more moments: it does not come to an end. */
const usualMost = 100

/**
 * Kills a pass before and after its first call, its second, and so on until one ends alive, and holds each time that
 * the next run of the command line heals what is left. Returns the moments. Fails with everything that was wrong, also
 * when there is nothing to begin with, or no end in sight.
 */
export async function surviveEvery(
  kind: Point['kind'],
  machine: TestMachine,
  scenario: Scenario,
): Promise<readonly string[]> {
  const moments: string[] = []
  const complaints: string[] = []
  let taken = 0
  let ended = false
  const { most = usualMost } = scenario
  const take = (): Point => {
    const [first = 'before', second = first] = scenario.when
    const each = scenario.when.length
    const point: Point = { kind, index: Math.floor(taken / each), when: taken % each === 0 ? first : second }
    taken += 1
    return point
  }
  const end = (...why: readonly string[]) => {
    ended = true
    complaints.push(...why)
  }
  const work = async () => {
    while (!ended) {
      await using ground = await prepareGround(machine, scenario)
      let sides: Sides = scenario
      const obstacle = await begin(ground, sides)
      if (obstacle !== undefined) end(obstacle)
      let goesOn = true
      while (goesOn && !ended) {
        const { moment, complaint } = await survive(ground, { ...scenario, ...sides }, take())
        if (moment !== undefined) moments.push(moment)
        else if (!ended) {
          end()
          complaints.push(...(await wrongExitCode(ground, scenario)))
        }
        if (moments.length > most && !ended) end(`died more than ${most} times, and no pass ends alive`)
        if (complaint !== undefined) complaints.push(`${moment ?? 'not killed'}: ${complaint}`)
        goesOn = complaint === undefined && scenario.next !== 'fresh'
        if (scenario.next === 'back and forth') sides = swapped(sides)
        else ground.forgive()
      }
    }
  }
  await Promise.all(Array.from({ length: scenario.lanes ?? usualLanes }, work))
  expect(complaints.join('\n')).to.equal('')
  return moments
}

type Sides = Pick<Scenario, 'before' | 'after'>

function swapped({ before, after }: Sides): Sides {
  return before === undefined ? { after } : { before: after, after: before }
}

/** Brings about what is to run before; returns what keeps it from that. */
async function begin(ground: Ground, { before }: Sides): Promise<string | undefined> {
  if (before === undefined) return undefined
  await ground.write(before.manifests)
  const { outcome, errors } = await ground.look('apply')
  if (outcome !== 'applied')
    return `cannot begin: ${outcome}: ${errors.map(({ message }) => message).join('; ')}`
  await before.check?.(ground)
  return undefined
}

type Survived = {
  /** `before 3 stop-container …`; absent when the pass ended alive. */
  readonly moment?: string
  readonly complaint?: string
}

async function survive(ground: Ground, scenario: Scenario, point: Point): Promise<Survived> {
  await ground.write(scenario.after.manifests)
  const victim = await ground.crash(point)
  const moment = victim.killed ? { moment: `${point.when} ${point.index} ${victim.out}` } : {}
  try {
    if (victim.killed) await checkRecovery(ground, scenario, point, victim)
    else await checkUndisturbed(ground, scenario, victim)
    await scenario.after.check?.(ground)
    return moment
  } catch (error) {
    return { ...moment, complaint: error instanceof Error ? error.message : String(error) }
  }
}

/** What the same pass comes to when nothing kills it. */
async function checkUndisturbed(ground: Ground, scenario: Scenario, pass: Ended): Promise<void> {
  expect(pass.out, pass.err).to.equal(scenario.ends === 'done' ? 'applied' : 'rolled-back')
  await checkEnd(ground, scenario)
}

/** After the end `plan --detailed-exitcode` is 0; 1 when what is written cannot run. */
async function wrongExitCode(ground: Ground, { ends }: Scenario): Promise<readonly string[]> {
  const { code, err } = await ground.tallyman('plan', '--detailed-exitcode')
  return code === (ends === 'done' ? 0 : 1) ? [] : [`plan --detailed-exitcode: ${code}: ${err}`]
}

/** Starts again, without a terminal and without an answer, and looks at what that came to. */
async function checkRecovery(ground: Ground, scenario: Scenario, point: Point, victim: Ended): Promise<void> {
  const { environment } = ground
  const left = ground.readJournal(journal => {
    const [last] = journal.log({ environment, limit: 1 })
    const pass = last === undefined ? undefined : journal.show(last.passId)
    const isRemembered = journal.approvals(environment, 'local', Date.now()).some(({ who }) => who === 'ada')
    // Once all that was approved is done, only the pass tells of the approval.
    const approved = isRemembered || (pass?.approvedBy ?? []).some(({ who }) => who === 'ada')
    return { isRemembered, approved, pass }
  })
  if (point.kind === 'step') {
    expect(left.isRemembered, 'the approval is remembered').to.equal(true)
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
  await startAgain(ground, scenario, left.approved, victim)
  await checkEnd(ground, scenario)
  if (left.approved && left.pass?.outcome === 'interrupted') checkHistory(ground, left.pass)
}

async function startAgain(
  ground: Ground,
  { ends, startedAgain }: Scenario,
  isApproved: boolean,
  died: Ended,
): Promise<void> {
  if (startedAgain === 'here') {
    const { outcome, errors } = await ground.look(isApproved ? 'go on' : 'apply')
    const [code, words] = [errors.length === 0 ? 0 : 1, errors.map(({ message }) => message).join('; ')]
    return (
      expect(endsOf[ends], `started again: ${words}; before: ${died.err}`).to.include(`${code} ${outcome}`) &&
      undefined
    )
  }
  const run = await ground.tallyman('apply', '--output', 'json', ...(isApproved ? [] : ['--yes']))
  expect(endsOf[ends], `started again: ${run.err}; before: ${died.err}`).to.include(
    `${run.code} ${outcomeOf(run)}`,
  )
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
async function checkEnd(
  ground: Ground,
  { before, after, ends, held = 'quarantined', networks }: Scenario,
): Promise<void> {
  const containers = (ends === 'done' ? after.containers : before?.containers) ?? []
  const there = await ground.containers()
  expect(there.map(({ text }) => text)).to.deep.equal(containers)
  expect(await ground.networks()).to.deep.equal(networks)
  const { plan } = await ground.look('plan')
  const applied = ground.readJournal(journal => [...journal.applied(ground.environment).keys()])
  const services = new Set(containers.map(text => `local/${text.split(' ')[0]}/${text.split(' ')[0]}`))
  expect(applied.sort(), 'what is remembered as applied').to.deep.equal([...services])
  if (ends === 'done') {
    expect(plan?.changes.map(({ reason }) => reason)).to.deep.equal([])
    return
  }
  expect(plan?.changes.map(change => change.held?.code)).to.deep.equal([held])
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
