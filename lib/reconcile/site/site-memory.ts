import type { Failure } from '../../errors.ts'
import { keepOnce } from '../../memo/keep-once.ts'
import type { SiteResources } from '../../plan/resources.ts'
import type { Keeper } from '../../writer/on-engine/keeper.ts'

/** What one pass over a site leaves for the next one there. Losing it costs only time. */
export type SiteMemory = {
  /** Which stay of the site in its environment that is of: what is remembered apart in the same stay has the same one. */
  readonly stay: symbol
  readonly writership: Writership
  readonly versions: KnownVersions
  readonly convergence: Convergence
  readonly attempts: AttemptClock
  readonly surroundings: Surroundings
}

/** Under which name this process is the writer on a site. */
export type Writership = {
  isHeld(environment: string): boolean
  /** Whether strangers held the name of the claim when it was last made. Such a claim is made anew each time. */
  isUsurped(): boolean
  /** The engine on which it was claimed, by the engine's own id; undefined: on none. */
  engineId(): string | undefined
  claimed(environment: string, engineId: string, isUsurped: boolean): void
  /** What keeps the claim on the engine itself; undefined: nothing of this environment was claimed there. */
  keeper(environment: string): Keeper | undefined
  /** The same, whatever the environment was called. */
  anyKeeper(): Keeper | undefined
  setKeeper(environment: string, keeper: Keeper): void
  forgetKeeper(): void
  /** Says that another process writes there instead; undefined: none does, or it was not found out. */
  rival(): Failure | undefined
  setRival(rival: Failure | undefined): void
  /** Calls back whenever the claim on the engine is won or lost, until the signal aborts. */
  onNews(listener: () => void, signal: AbortSignal): void
  tellNews(): void
}

/** The newest recorded version of each application (A6). */
export type KnownVersions = {
  /** Whether an application with these images is on record. */
  isKnown(application: string, images: string): boolean
  setKnown(application: string, images: string): void
  /** Whether it was noted of an application that it has run as it is, by a hash of that. */
  hasRun(application: string, mark: string): boolean
  setRun(application: string, mark: string): void
}

/** The plan that was applied last, until a pass plans another one (G2). */
export type Convergence = {
  applied(): { readonly planId: string } | undefined
  setApplied(planId: string): void
  /** Forgets what was applied, unless it is planned again. */
  planned(planId: string): void
  /** Lets the plan be tried again. */
  forget(): void
  /** How often it was let. */
  timesLet(): number
}

/** When attempts at services began, on the steady clock. */
export type AttemptClock = {
  /**
   * Returns when an attempt began. The journal identifies it by release and time of day.
   * @param unknown says so if this process knows nothing of the attempt yet
   */
  sinceMs(
    service: string,
    attempt: { readonly release: string; readonly begunAtMs: number },
    unknown: () => number,
  ): number
  /** Has an attempt begin later by so many ms. */
  putOff(service: string, ms: number): void
}

/** What the site had besides containers when this process last asked, if nothing was left to do and it did nothing since. */
export type Surroundings = {
  /** Undefined: that is unknown, or something was left to do. */
  known(): SiteResources | undefined
  setKnown(resources: SiteResources): void
  forget(): void
}

/**
 * Creates the memory of a site over which no pass was made yet.
 * @param stay that of which something is remembered apart; a new one, if the site has just come
 */
export function createSiteMemory(stay: symbol = Symbol('stay')): SiteMemory {
  return {
    stay,
    writership: createWritership(),
    versions: createKnownVersions(),
    convergence: createConvergence(),
    attempts: createAttemptClock(),
    surroundings: createSurroundings(),
  }
}

function createWritership(): Writership {
  const listeners = new Set<() => void>()
  let kept: { readonly environment: string; readonly keeper: Keeper } | undefined
  let held: string | undefined
  let engine: string | undefined
  let isUsurped = false
  let rival: Failure | undefined
  return {
    isHeld: environment => held === environment,
    isUsurped: () => isUsurped,
    engineId: () => engine,
    claimed(environment, engineId, byStrangers) {
      engine = engineId
      isUsurped = byStrangers
      if (!byStrangers) held = environment
    },
    keeper: environment => (kept?.environment === environment ? kept.keeper : undefined),
    anyKeeper: () => kept?.keeper,
    setKeeper(environment, keeper) {
      kept = { environment, keeper }
    },
    forgetKeeper() {
      kept = undefined
    },
    rival: () => rival,
    setRival(failure) {
      rival = failure
    },
    onNews(listener, signal) {
      if (signal.aborted) return
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
    tellNews() {
      for (const listener of listeners) listener()
    },
  }
}

function createKnownVersions(): KnownVersions {
  const all = new Map<string, KnownVersion>()
  const set = (application: string, news: KnownVersion) =>
    all.set(application, oneVersion({ ...all.get(application), ...news }))
  return {
    isKnown: (application, images) => all.get(application)?.images === images,
    setKnown: (application, images) => void set(application, { images }),
    hasRun: (application, mark) => all.get(application)?.ran === mark,
    setRun: (application, ran) => void set(application, { ran }),
  }
}

/** What is known of the newest version of an application: its images, and what it was when it had run. */
type KnownVersion = { readonly images?: string; readonly ran?: string }

/** Sites of one environment mostly have the same. */
const oneVersion = keepOnce<KnownVersion>()

function createConvergence(): Convergence {
  let last: { readonly planId: string } | undefined
  let times = 0
  return {
    applied: () => last,
    setApplied(planId) {
      last = { planId }
    },
    planned(planId) {
      if (last?.planId !== planId) last = undefined
    },
    forget() {
      last = undefined
      times += 1
    },
    timesLet: () => times,
  }
}

function createAttemptClock(): AttemptClock {
  const begun = new Map<string, { readonly attempt: string; readonly sinceMs: number }>()
  return {
    sinceMs(service, { release, begunAtMs }, unknown) {
      const attempt = `${begunAtMs} ${release}`
      const known = begun.get(service)
      const sinceMs = known?.attempt === attempt ? known.sinceMs : unknown()
      begun.set(service, { attempt, sinceMs })
      return sinceMs
    },
    putOff(service, ms) {
      const known = begun.get(service)
      if (known !== undefined) begun.set(service, { ...known, sinceMs: known.sinceMs + ms })
    },
  }
}

function createSurroundings(): Surroundings {
  let known: SiteResources | undefined
  return {
    known: () => known,
    setKnown(resources) {
      known = alike(resources)
    },
    forget() {
      known = undefined
    },
  }
}

/** Sites of one environment mostly have the same. */
const alike = keepOnce<SiteResources>()
