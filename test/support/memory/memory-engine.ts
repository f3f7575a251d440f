import { setImmediate as turn } from 'node:timers/promises'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import { memoryClaims } from './memory-claims.ts'
import { emptySite, liveOf, perform, type SimulatedSite } from './simulated-site.ts'

export type MemoryEngineParts = {
  readonly site?: string
  readonly has?: SimulatedSite
  /** What fails, by the step in words. */
  readonly fails?: Readonly<Record<string, Failure>>
  /** What is noted about a step on its way, by the step in words. */
  readonly notes?: Readonly<Record<string, string>>
  /** What does nothing on purpose, and why, by the step in words. */
  readonly skips?: Readonly<Record<string, string>>
  /** Waits that never end by themselves, by the step in words. */
  readonly waits?: readonly string[]
  /** Called as a step begins, by the step in words. */
  readonly during?: Readonly<Record<string, () => void>>
  /** What the registry answers; absent: there is none. */
  readonly distribution?: Engine['distribution']
}

export type MemoryEngine = Engine & {
  /** What was carried out, in order: `create-container web.2`; what failed ends in an exclamation mark. */
  readonly done: readonly string[]
  /** The most calls that were under way at once, waits for health aside. */
  readonly most: () => number
  readonly has: () => SimulatedSite
  /** Loses every container, as if somebody had removed them. */
  readonly lose: () => void
  /** Tells an event to everybody who listens: nothing happens on it by itself. */
  readonly happen: () => void
}

/** Returns a site on which what a step made bears what a journal counted. */
function recorded(site: SimulatedSite, step: Step, record: string | undefined): SimulatedSite {
  const made = step.do === 'create-container' ? site.containers.get(step.container) : undefined
  if (made === undefined || made.record !== undefined || record === undefined) return site
  return { ...site, containers: new Map(site.containers).set(made.engineName, { ...made, record }) }
}

/** An engine over a map of containers, for rules that are about order and failure. */
export function memoryEngine(parts: MemoryEngineParts = {}): MemoryEngine {
  const { site = 'local', fails = {}, notes = {}, skips = {}, waits = [], during = {} } = parts
  const done: string[] = []
  const listeners = new Set<() => void>()
  let has = parts.has ?? emptySite
  let underWay = 0
  let most = 0
  const engine: MemoryEngine = {
    site,
    claims: memoryClaims(),
    close: () => undefined,
    version: () => '29.0.0',
    answeredWithin: () => false,
    redacting() {
      return this
    },
    guarded() {
      return this
    },
    done,
    most: () => most,
    has: () => has,
    lose: () => {
      has = { ...has, containers: new Map() }
    },
    happen: () => {
      for (const tell of listeners) tell()
    },
    logged: async () => [],
    async *log() {},
    async execute(step, { record }, signal, note) {
      const words = describeStep(step)
      const said = notes[words]
      if (said !== undefined) note?.(said)
      const isWait = step.do === 'await-healthy'
      const call = isWait ? 0 : 1
      underWay += call
      most = Math.max(most, underWay)
      try {
        during[words]?.()
        await (waits.includes(words) || (isWait && signal.aborted) ? aborted(signal) : turn())
        const failure = fails[words]
        if (failure !== undefined) throw failure
        has = recorded(perform(has, step), step, record)
        done.push(words)
        return skips[words] === undefined ? undefined : { skipped: skips[words] }
      } catch (error) {
        done.push(`${words}!`)
        throw error
      } finally {
        underWay -= call
      }
    },
    async observe() {
      return { ...liveOf(has), site }
    },
    async resources() {
      return { networks: [...has.networks], volumes: [] }
    },
    async takenPorts() {
      return []
    },
    async holders() {
      return []
    },
    async images() {
      return []
    },
    async info() {
      return { id: site, host: site, version: '27.0.0', os: 'linux', architecture: 'amd64' }
    },
    async watch(_scope, onEvent, signal) {
      const tell = () => onEvent({ site, container: 'web.1', action: 'die', atMs: 0 })
      listeners.add(tell)
      await aborted(signal).finally(() => listeners.delete(tell))
    },
    async localImage() {
      return undefined
    },
    distribution: parts.distribution ?? noRegistry,
    async ingress() {
      return undefined
    },
    async setDraining() {
      throw new Failure('ingress-unreachable', 'there is no ingress')
    },
  }
  return engine
}

async function noRegistry(reference: string): Promise<never> {
  throw new Failure('image-not-found', `${reference}: there is no registry`)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Failure('interrupted', 'the wait was ended'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** What runs there, by its image: `web:1`. */
export function runningOn(engine: MemoryEngine): readonly string[] {
  return [...engine.has().containers.values()]
    .filter(({ state }) => state === 'running')
    .map(({ image }) => image.replace(/^.*\//, ''))
}

/** An engine in memory that refuses all calls of a pass while it is silent. */
export type SilentAtTimes = MemoryEngine & { isSilent: boolean }

/** Returns an engine that answers until it is told otherwise. */
export function silentAtTimes(engine: MemoryEngine): SilentAtTimes {
  const unlessSilent =
    <Given extends readonly unknown[], Said>(call: (...given: Given) => Promise<Said>) =>
    async (...given: Given) => {
      if (one.isSilent) throw new Failure('engine-unreachable', `${engine.site}: nobody answers`)
      return call(...given)
    }
  const one: SilentAtTimes = {
    ...engine,
    isSilent: false,
    observe: unlessSilent(engine.observe),
    info: unlessSilent(engine.info),
    execute: unlessSilent(engine.execute),
  }
  return one
}
