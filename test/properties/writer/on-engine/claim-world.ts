import { setImmediate as turn } from 'node:timers/promises'
import { Failure } from '../../../../lib/errors.ts'
import type { ClaimVolumes } from '../../../../lib/state/claim-volume.ts'
import { createKeeper, type Keeper } from '../../../../lib/writer/on-engine/keeper.ts'
import { createHolding, type Holding, type Whose } from '../../../../lib/writer/on-engine/take-claim.ts'
import { identity } from '../../../support/builders/builders.ts'
import { memoryClaims } from '../../../support/memory/memory-claims.ts'

export const machines = 3
const [deadMs, leaseMs, freshMs] = [60_000, 30_000, 10_000]
/** Nobody looks by a timer. */
const pace = { lookMs: 1e9, waitMs: 1e9, deadMs, leaseMs, freshMs }
const { signal } = new AbortController()

/** A call to the engine: it arrives there, and its answer comes back, each at some moment. */
type Call = {
  /** `list`, `create` or `remove`. */
  readonly what: string
  arrive?: () => Promise<void>
  answer?: () => void
  readonly fail: () => void
}

/** A process on a machine. One that is stopped receives nothing and does nothing. */
type Process = {
  readonly holding: Holding
  readonly keeper: Keeper
  readonly calls: Call[]
  isStopped: boolean
  /** Whether it waits for something that comes before all else it does. */
  isBusy: boolean
  /** How many writes there had been when the engine last listed the claims for it. */
  listed: number
  /** The same, at the list that its plan came after; undefined: it has none. */
  planned: number | undefined
}

/** What the state directory of a machine keeps: the marks, and how many writes it knows of, unless that is put aside. */
type Kept = { readonly marks: readonly string[]; readonly knows: number | 'nothing' }

const nothing: Kept = { marks: [], knows: 'nothing' }

/** Some machines, each with one process at most, and one engine, on one time that all of them share. */
export function claimWorld() {
  const volumes = memoryClaims()
  const processes = new Map<number, Process>()
  const kept = new Map<number, Kept>()
  /** What must never happen, in words. */
  const wrong: string[] = []
  let [nowMs, born, written] = [0, 0, 0]

  /** Puts aside what is kept, if another one may have written. Returns what is kept then. */
  const heed = (machine: number, { traces }: Holding): Kept => {
    const before = kept.get(machine) ?? nothing
    const isNews = [...traces.marks].some(one => !before.marks.includes(one))
    traces.marks.clear()
    const now: Kept = isNews ? { ...before, knows: 'nothing' } : before
    kept.set(machine, now)
    return now
  }
  const start = (machine: number) => {
    born += 1
    const calls: Call[] = []
    const over =
      <Given extends readonly unknown[], Value>(what: string, call: (...given: Given) => Promise<Value>) =>
      (...given: Given) =>
        new Promise<Value>((resolve, reject) => {
          const fail = () => reject(new Failure('engine-unreachable', 'lost'))
          const one: Call = {
            what,
            fail,
            async arrive() {
              delete one.arrive
              const value = await call(...given)
              if (what === 'list') process.listed = written
              one.answer = () => resolve(value)
            },
          }
          calls.push(one)
        })
    const remote: ClaimVolumes = {
      list: over('list', volumes.list),
      create: over('create', volumes.create),
      remove: over('remove', volumes.remove),
    }
    const me = { id: `process-${born}`, machine: `machine-${machine}`, who: `pid ${born}` }
    const sinceBootMs = () => nowMs
    const holding = createHolding({
      ...{ site: 'local', volumes: remote, identity: identity('prod'), me, deadMs, staleMs: leaseMs },
      sinceBootMs,
      onMark: mark => {
        const { marks, knows } = heed(machine, holding)
        kept.set(machine, { marks: [...marks, mark], knows })
      },
    })
    const keeper = createKeeper({
      ...{ holding, pace: () => pace, random: () => 1, sinceBootMs, onNews: () => undefined },
      whyNot: () => new Failure('another-writer', 'it is not ours'),
    })
    const idle = { isStopped: false, isBusy: false, listed: 0, planned: undefined }
    const process: Process = { holding, keeper, calls, ...idle }
    processes.set(machine, process)
  }
  const begin = (process: Process | undefined, work: (process: Process) => Promise<unknown>) => {
    if (process === undefined || process.isBusy || process.isStopped) return undefined
    process.isBusy = true
    return work(process)
      .catch(() => undefined)
      .finally(() => {
        process.isBusy = false
      })
  }
  /** Has a process plan, if it may: from what it sees from now on, and from what is kept. */
  const plan = (machine: number, process: Process, whose: Whose) => {
    const { marks, knows } = heed(machine, process.holding)
    process.planned = undefined
    if (whose.is === 'theirs') return
    if (knows !== 'nothing' && knows !== process.listed) wrong.push(`${machine} does not learn of a write`)
    const seen = process.keeper.marks()
    const now = whose.is === 'ours' ? seen : [...new Set([...marks, ...seen])]
    kept.set(machine, { marks: now, knows: process.listed })
    process.planned = process.listed
  }
  /** Has a process begin a step of its plan, if it may. */
  const step = async (machine: number, process: Process) => {
    try {
      await process.keeper.hold()
    } catch (error) {
      if (error instanceof Failure && error.code === 'another-writer') process.planned = undefined
      throw error
    }
    if (process.planned !== written) wrong.push(`${machine} begins a step of a plan that is void`)
    written += 1
    process.planned = written
    kept.set(machine, { ...(kept.get(machine) ?? nothing), knows: written })
  }
  const arriveAll = async () => {
    for (const { calls } of processes.values()) for (const call of calls) await call.arrive?.()
  }
  const planning = (how: 'take' | 'glance') => async (machine: number) =>
    void begin(processes.get(machine), async process =>
      plan(machine, process, await process.keeper[how](false, signal)),
    )
  const acts = {
    look: planning('take'),
    glance: planning('glance'),
    prepare: async (machine: number) => {
      const process = processes.get(machine)
      if (process !== undefined && process.planned !== undefined && !process.isStopped)
        process.keeper.prepare()
    },
    step: async (machine: number) => {
      const process = processes.get(machine)
      if (process?.planned !== undefined) void begin(process, () => step(machine, process))
    },
    arrive: async (machine: number) =>
      processes
        .get(machine)
        ?.calls.find(call => call.arrive)
        ?.arrive?.(),
    answer: async (machine: number) => {
      const process = processes.get(machine)
      if (process === undefined || process.isStopped) return
      const at = process.calls.findIndex(call => call.answer !== undefined)
      if (at >= 0) process.calls.splice(at, 1)[0]?.answer?.()
    },
    /** Its answer is lost on the way, whether it has arrived or not. */
    lose: async (machine: number) => {
      const process = processes.get(machine)
      if (process !== undefined && !process.isStopped) process.calls.shift()?.fail()
    },
    /** What is under way arrives before: a request that takes a minute on its way is none. */
    pass: async (machine: number) => {
      await arriveAll()
      nowMs += [1_000, 11_000, 31_000][machine] ?? 0
    },
    stop: async (machine: number) => {
      const process = processes.get(machine)
      if (process !== undefined) process.isStopped = !process.isStopped
    },
    kill: async (machine: number) => void processes.delete(machine),
    start: async (machine: number) => {
      if (!processes.has(machine)) start(machine)
    },
    end: async (machine: number) => {
      const process = processes.get(machine)
      void begin(process, ({ keeper }) => keeper.release())?.then(() => {
        if (processes.get(machine) === process) processes.delete(machine)
      })
    },
  }
  /** The machines whose process may begin a step now. */
  const writers = () =>
    [...processes].filter(([, { holding }]) => holding.ageMs() <= leaseMs).map(([machine]) => machine)
  const settle = async () => {
    for (const process of processes.values()) process.isStopped = false
    for (let round = 0; round < 60; round += 1) {
      for (let machine = 0; machine < machines; machine += 1) await acts.look(machine)
      for (let step = 0; step < 60; step += 1) {
        for (let machine = 0; machine < machines; machine += 1) {
          await acts.arrive(machine)
          await acts.answer(machine)
        }
        await turn()
      }
      await acts.pass(1)
    }
  }
  /** Has a process do what it has begun until it waits for nothing more, or for a call that is named. */
  const run = async (machine: number, until?: string) => {
    for (let step = 0; step < 60; step += 1) {
      await turn()
      const call = processes.get(machine)?.calls.find(({ arrive }) => arrive !== undefined)
      if (call !== undefined && call.what === until) return
      await acts.arrive(machine)
      await acts.answer(machine)
    }
  }
  const look = async (machine: number, until?: string, how: 'look' | 'glance' = 'look') => {
    await acts[how](machine)
    await run(machine, until)
  }
  const end = async (machine: number) => {
    await acts.end(machine)
    await run(machine)
  }
  const planned = (machine: number) => processes.get(machine)?.planned
  const writes = () => written
  return { acts, wrong, writers, planned, writes, settle, run, look, end, processes, volumes }
}
