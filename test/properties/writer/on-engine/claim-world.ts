import { setImmediate as turn } from 'node:timers/promises'
import { Failure } from '../../../../lib/errors.ts'
import type { ClaimVolumes } from '../../../../lib/state/claim-volume.ts'
import { createHolding, type Holding } from '../../../../lib/writer/on-engine/holding.ts'
import { identity } from '../../../support/builders.ts'
import { memoryClaims } from '../../../support/memory-claims.ts'

export const machines = 3
const [deadMs, leaseMs] = [60_000, 30_000]
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
  readonly calls: Call[]
  isStopped: boolean
  isBusy: boolean
  hasWritten: boolean
}

/** What the state directory of a machine keeps: the marks, and the last write that it knows of. */
type Kept = { readonly marks: readonly string[]; readonly knows: number }

const nothing: Kept = { marks: [], knows: 0 }

/** Whether a process has seen that another one may have written, which is forgotten then. */
function isNews({ traces }: Holding, { marks }: Kept): boolean {
  const others = [...traces.marks].filter(one => !marks.includes(one))
  traces.marks.clear()
  return others.length > 0
}

/** Some machines, each with one process at most, and one engine, on one time that all of them share. */
export function claimWorld() {
  const volumes = memoryClaims()
  const processes = new Map<number, Process>()
  const kept = new Map<number, Kept>()
  let [nowMs, born, written] = [0, 0, 0]

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
    const holding = createHolding({
      ...{ site: 'local', volumes: remote, identity: identity('prod'), me, deadMs, staleMs: leaseMs },
      sinceBootMs: () => nowMs,
      onMark: mark => {
        const before = kept.get(machine) ?? nothing
        const knows = isNews(holding, before) ? written : before.knows
        kept.set(machine, { marks: [...before.marks, mark], knows })
      },
    })
    processes.set(machine, { holding, calls, isStopped: false, isBusy: false, hasWritten: false })
  }
  const begin = (process: Process | undefined, work: (holding: Holding) => Promise<unknown>) => {
    if (process === undefined || process.isBusy || process.isStopped) return undefined
    process.isBusy = true
    return work(process.holding)
      .catch(() => undefined)
      .finally(() => {
        process.isBusy = false
      })
  }
  const arriveAll = async () => {
    for (const { calls } of processes.values()) for (const call of calls) await call.arrive?.()
  }
  const acts = {
    look: async (machine: number) => void begin(processes.get(machine), holding => holding.look(signal)),
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
      void begin(process, holding => holding.release(process?.hasWritten === true, signal))?.then(() => {
        if (processes.get(machine) === process) processes.delete(machine)
      })
    },
  }
  /** Has a process write that may begin a step. Returns the last write of another one that it does not learn of. */
  const write = (machine: number) => {
    const process = processes.get(machine)
    if (process === undefined || process.isStopped || process.holding.ageMs() > leaseMs) return undefined
    const { holding } = process
    const before = kept.get(machine) ?? nothing
    const missed = isNews(holding, before) || before.knows === written ? undefined : written
    process.hasWritten = true
    written += 1
    kept.set(machine, { marks: holding.marks(), knows: written })
    return missed
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
  const look = async (machine: number, until?: string) => {
    await acts.look(machine)
    await run(machine, until)
  }
  const end = async (machine: number) => {
    await acts.end(machine)
    await run(machine)
  }
  return { acts, write, writers, settle, run, look, end, processes, volumes }
}
