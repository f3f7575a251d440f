import { startCountingEngine } from '../../support/engine/counting-engine.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { comparison, type Goal } from '../report/comparison.ts'
import { type Compose, composeProject } from '../report/compose.ts'
import { median } from '../report/statistics.ts'
import { looksOf, type Subject } from '../report/subject.ts'
import { duration, type Row } from '../report/table.ts'
import { all, first, type Workload } from '../report/workload.ts'
import { type DaemonSubject, type Surroundings, tallymanCommand, tallymanDaemon } from '../tallyman.ts'
import { bareCalls } from './bare-calls.ts'
import { bestConcurrency } from './best-concurrency.ts'

export type EngineInput = Surroundings & {
  readonly services: number
  readonly rounds: number
  readonly compose: Compose | undefined
  /** Two images that are on the engine already: pulls are no part of the comparison. */
  readonly images: readonly [PushedImage, PushedImage]
  readonly say: (line: string) => void
}

/**
 * What each subject does in each round, in this order. `own`: a look of the daemon, less what the git server takes for
 * the question that is asked beside it.
 */
type Scenario = 'create' | 'replace' | 'one' | 'look' | 'own'

type Times = Readonly<Record<Scenario, readonly number[]>>

const looks = 20

/** The engine does nearly all of the work, and nobody can have it done with less than bare calls: they are the measure. */
const goals = {
  create: {
    most: 1.05,
    why: 'the engine does the same work for both; look-up, plan, journal and gate are the rest',
  },
  replace: {
    most: 0.95,
    why: 'sixteen calls at once and waits that hold up nobody: a plan has to beat calls in the order they come',
  },
  one: {
    most: 1.1,
    why: 'the engine does the same work for both; here the fetch of the commit and the gate stand alone before and after it',
  },
  lookOfCompose: { most: 0.3, why: 'compose is a process of its own each time, the daemon runs already' },
  lookOfCommand: {
    most: 3.2,
    why: 'both are a process of their own: Node takes as long to start as compose takes in all, and as long again to load',
  },
  look: { most: 6, why: 'one look-up of the ref on a git server, and one list call beside it' },
  own: { most: 5, why: 'the engine is asked for one list; what is in it is compared with what is wanted' },
} as const satisfies Readonly<Record<string, Goal>>

/** The same work by tallyman, docker compose and bare engine calls, in turns. */
export async function measureEngine(input: EngineInput): Promise<readonly Row[]> {
  const { dockerSocket, services, rounds, compose, images, say } = input
  const concurrency = await bestConcurrency(dockerSocket, images[0], services)
  say(`bare engine calls are fastest ${concurrency} at once`)
  const subjects: Readonly<Record<string, Parameters<typeof turn>[0]>> = {
    daemon: () => tallymanDaemon(input, '0s'),
    ...(compose === undefined ? {} : { compose: () => composeProject(compose, dockerSocket) }),
    bare: () => bareCalls(dockerSocket, concurrency),
    command: () => tallymanCommand(input, '0s'),
  }
  const times = new Map<string, Times>()
  for (let round = 1; round <= rounds; round++)
    for (const [name, open] of Object.entries(subjects)) {
      const measured = await turn(open, images, services)
      say(`round ${round} of ${rounds}, ${name}: ${summary(measured)}`)
      times.set(name, joined(times.get(name), measured))
    }
  const patient = await turn(() => tallymanDaemon(input, '5s'), images, services)
  return [
    ...compareAll(services, times, compose, concurrency),
    {
      what: `${services} services from nothing, healthyTime 5s (the default)`,
      measured: duration(median(patient.create)),
    },
    ...(await countCalls(input)),
  ]
}

/** Opens a subject, takes it through all scenarios, and clears it away. */
async function turn(
  open: () => Promise<Subject & Partial<Pick<DaemonSubject, 'lookUp'>>>,
  [before, after]: EngineInput['images'],
  services: number,
): Promise<Times> {
  await using subject = await open()
  const create = await subject.bring(all(before, services))
  const replace = await subject.bring(all(after, services))
  const workload = first(before, all(after, services))
  const one = [await subject.bring(workload)]
  for (const next of [all(after, services), workload]) one.push(await subject.bring(next))
  const { look, lookUp } = await looksOf(subject, workload, looks)
  const own = lookUp.map((ms, time) => (look[time] ?? 0) - ms)
  const ofOwn = own.length === 0 ? [] : [median(own)]
  return { create: [create], replace: [replace], one, look: [median(look)], own: ofOwn }
}

function joined(before: Times | undefined, more: Times): Times {
  if (before === undefined) return more
  return {
    create: [...before.create, ...more.create],
    replace: [...before.replace, ...more.replace],
    one: [...before.one, ...more.one],
    look: [...before.look, ...more.look],
    own: [...before.own, ...more.own],
  }
}

function compareAll(
  services: number,
  times: ReadonlyMap<string, Times>,
  compose: Compose | undefined,
  concurrency: number,
): readonly Row[] {
  const beside = `docker compose ${compose?.version ?? ''}`
  const calls = `engine calls, ${concurrency} at once`
  const compare = (
    what: string,
    scenario: Scenario,
    other: string,
    name: string,
    goal?: Goal,
    ours = 'daemon',
  ) => comparison(what, times.get(ours)?.[scenario], times.get(other)?.[scenario], name, goal)
  const create = `${services} services from nothing`
  const replace = `replacing all ${services}`
  const one = `replacing one of ${services}`
  return [
    compare(create, 'create', 'compose', beside),
    compare(create, 'create', 'bare', calls, goals.create),
    compare(replace, 'replace', 'compose', beside),
    compare(replace, 'replace', 'bare', calls, goals.replace),
    compare(one, 'one', 'compose', beside),
    compare(one, 'one', 'bare', calls, goals.one),
    compare('no change, pass of the daemon', 'look', 'compose', beside, goals.lookOfCompose),
    compare('no change, pass of the daemon', 'look', 'bare', 'one list call', goals.look),
    comparison(
      'no change, pass of the daemon without the answer of the git server',
      times.get('daemon')?.own,
      times.get('bare')?.look,
      'one list call',
      goals.own,
    ),
    compare(`tallyman apply, ${create}`, 'create', 'compose', beside, undefined, 'command'),
    compare(`tallyman apply, ${replace}`, 'replace', 'compose', beside, undefined, 'command'),
    compare(`tallyman apply, ${one}`, 'one', 'compose', beside, undefined, 'command'),
    compare('tallyman apply, no change', 'look', 'compose', beside, goals.lookOfCommand, 'command'),
  ]
}

/** What passes without changes ask for, noted down on the way. */
async function countCalls(input: EngineInput): Promise<readonly Row[]> {
  const workload: Workload = all(input.images[0], 2)
  await using engine = await startCountingEngine(input.dockerSocket)
  await using subject = await tallymanDaemon({ ...input, dockerSocket: engine.socket }, '0s')
  await subject.bring(workload)
  engine.forgetCalls()
  input.gitServer.requests.length = 0
  const passes = 10
  for (let pass = 0; pass < passes; pass++) await subject.look(workload)
  const count = (what: string, calls: number, goal: number): Row => ({
    what: `no change, ${what} in a pass`,
    measured: String(calls / passes),
    goal: `= ${goal}`,
    reached: calls / passes === goal,
  })
  const lists = engine.calls.filter(call => call === 'GET /containers/json').length
  return [
    count('look-ups of the ref', input.gitServer.requests.length, 1),
    count('list calls', lists, 1),
    count('other engine calls', engine.calls.length - lists, 0),
  ]
}

function summary({ create, replace, one, look }: Times): string {
  const times = [create, replace, one, look].map(times => duration(median(times)))
  return ['create', 'replace', 'one', 'no change'].map((name, index) => `${name} ${times[index]}`).join(', ')
}
