import type { PushedImage } from '../../support/images/images.ts'
import { comparison, type Goal } from '../report/comparison.ts'
import { median } from '../report/statistics.ts'
import type { Subject } from '../report/subject.ts'
import { duration, type Row } from '../report/table.ts'
import { all, networkOf, podsOf, type Shape, specificationsOf } from '../report/workload.ts'
import { type Surroundings, tallymanDaemon } from '../tallyman.ts'
import { bareCalls } from './bare-calls.ts'
import { bareRuns } from './bare-runs.ts'
import { bestConcurrency } from './best-concurrency.ts'

export type InstancesInput = Surroundings & {
  /** Services with a hook; and containers of the others, three to a service. */
  readonly services: number
  readonly rounds: number
  /** Two images that are on the engine already: pulls are no part of the comparison. */
  readonly images: readonly [PushedImage, PushedImage]
  readonly say: (line: string) => void
}

type Times = {
  /** From nothing. */
  readonly create: readonly number[]
  /** All of them, there and back. */
  readonly replace: readonly number[]
  /** As many containers run to their end beside them as there are services. */
  readonly runs: readonly number[]
  /** Passes without changes. */
  readonly looks: readonly number[]
}

const single: Shape = { replicas: 1, members: 0, internal: true }
const three: Shape = { ...single, members: 2 }
/** A sandbox and three apps. */
const pods: Shape = { replicas: 1, members: 3, internal: false }
const replicas: Shape = { ...single, replicas: 3 }
const hooked: Shape = { ...single, hook: true }

/** The goal is one container run more per service; the difference of two medians is known to a tenth at best. */
const mostPerHook = 1.1

/** What a pod may cost beside its containers. */
const mostPerPod = 1.1

type Compared = 'instances of three' | 'pods' | 'replicas'

/** Instances of several containers, pods, replicas that are replaced one after the other, and what a hook costs. */
export async function measureInstances(input: InstancesInput): Promise<readonly Row[]> {
  const { dockerSocket, services, rounds, images, say } = input
  const third = Math.max(1, Math.round(services / 3))
  const concurrency = await bestConcurrency(dockerSocket, images[0], third, three)
  say(`bare engine calls are fastest ${concurrency} at once`)

  const measured = {
    'instances of three': empty,
    'instances of three, bare': empty,
    pods: empty,
    'pods, bare': empty,
    replicas: empty,
    'replicas, bare': empty,
    'no hook': empty,
    hook: empty,
  }
  const note = (name: keyof typeof measured, times: Times) => {
    say(`${name}: ${summary(times)}`)
    measured[name] = joined(measured[name], times)
  }
  const byDaemon = (shape: Shape, count: number) => throughDaemon(input, shape, count, concurrency)
  const byCalls = async (shape: Shape, count: number) => {
    await using subject = await bareCalls(dockerSocket, concurrency, shape)
    return await turn(subject, images, count)
  }
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`)
    note('instances of three', await byDaemon(three, third))
    note('instances of three, bare', await byCalls(three, third))
    note('pods', await throughDaemon(input, pods, third, concurrency, podsOf))
    note('pods, bare', await byCalls(pods, third))
    note('replicas', await byDaemon(replicas, third))
    note('replicas, bare', await byCalls(replicas, third))
    note('no hook', await byDaemon(single, services))
    note('hook', await byDaemon(hooked, services))
  }

  const calls = `engine calls, ${concurrency} at once`
  const compare = (what: string, scenario: 'create' | 'replace', name: Compared, goal?: Goal) =>
    comparison(what, measured[name][scenario], measured[`${name}, bare`][scenario], calls, goal)
  const instances = `${third} instances of 3 containers`
  return [
    compare(`${instances} from nothing`, 'create', 'instances of three'),
    compare(`replacing ${instances}`, 'replace', 'instances of three'),
    compare(`${third} pods of 3 apps from nothing`, 'create', 'pods', { most: mostPerPod }),
    compare(`replacing ${third} pods of 3 apps`, 'replace', 'pods'),
    comparison(
      `a pass without changes over ${third} pods of 3 apps`,
      measured.pods.looks,
      measured['instances of three'].looks,
      `over as many instances with a container less each`,
    ),
    compare(`replacing ${third} services of 3 replicas`, 'replace', 'replicas'),
    ...hookRows(services, measured['no hook'], measured.hook, concurrency),
  ]
}

/** By a daemon of its own; the bare runs are made where its containers run. */
async function throughDaemon(
  input: InstancesInput,
  shape: Shape,
  count: number,
  concurrency: number,
  write = specificationsOf,
): Promise<Times> {
  const { dockerSocket, images } = input
  await using subject = await tallymanDaemon(input, '0s', {
    files: workload => write(shape, workload),
    config: { sandbox: { image: images[0].reference } },
  })
  const times = await turn(subject, images, count)
  if (shape.hook !== true) return times
  const run = { dockerSocket, concurrency, image: images[0], network: networkOf(subject.environment), count }
  return { ...times, runs: [await bareRuns(run), await bareRuns(run)] }
}

async function turn(
  subject: Subject,
  [before, after]: InstancesInput['images'],
  count: number,
): Promise<Times> {
  const create = await subject.bring(all(before, count))
  const there = await subject.bring(all(after, count))
  const back = await subject.bring(all(before, count))
  const looks: number[] = []
  for (let look = 1; look <= 5; look += 1) looks.push(await subject.look(all(before, count)))
  return { create: [create], replace: [there, back], runs: [], looks }
}

const empty: Times = { create: [], replace: [], runs: [], looks: [] }

function joined(before: Times, more: Times): Times {
  return {
    create: [...before.create, ...more.create],
    replace: [...before.replace, ...more.replace],
    runs: [...before.runs, ...more.runs],
    looks: [...before.looks, ...more.looks],
  }
}

function hookRows(services: number, without: Times, having: Times, concurrency: number): readonly Row[] {
  const withoutMs = median(without.replace)
  const withMs = median(having.replace)
  const runsMs = median(having.runs)
  const ratio = (withMs - withoutMs) / runsMs
  return [
    { what: `replacing ${services} services without a hook`, measured: duration(withoutMs) },
    { what: `replacing ${services} services with a pre hook that does nothing`, measured: duration(withMs) },
    {
      what: `what these ${services} hooks cost`,
      measured: duration(withMs - withoutMs),
      beside: `as many bare container runs, ${concurrency} at once: ${duration(runsMs)}`,
      ratio,
      goal: `≤ 1.00, known to 0.1`,
      reached: ratio <= mostPerHook,
    },
  ]
}

function summary({ create, replace, runs }: Times): string {
  const more = runs.length === 0 ? '' : `, bare runs ${duration(median(runs))}`
  return `create ${duration(median(create))}, replace ${duration(median(replace))}${more}`
}
