import type { HostStep } from './host-step.ts'
import type { SharedStep, Step, StepName, StepOnHost, StepOnSwarm } from './step.ts'
import type { SwarmStep } from './swarm-step.ts'

/** What is true of a step whatever it is about, for the code that carries out steps without knowing them one by one. */
export type StepTraits = {
  /**
   * `call`: it occupies the engine until it is done. `wait`: what it waits for continues by itself, so that as many of
   * them as there are wait side by side.
   */
  readonly is: 'call' | 'wait'
  /**
   * When it changes something on the engine. `at once`: it does not even begin unless this process is the writer (D17).
   * `later`: whoever is not may look on, and what it changes after a while asks then.
   */
  readonly changes: 'at once' | 'later' | 'never'
  /** What may cut it off. A step that changes something is cut off by nothing, and ends before the process does. */
  readonly cutOffBy: readonly CutOff[]
  /**
   * Set if it makes an image present, or makes sure that it can be. That is done for all changes before anything else is
   * made (G1).
   */
  readonly fetches?: true
  /** Set if it makes sure of something before anything is made that depends on it (G23). */
  readonly checks?: true
  /**
   * Set if it ends what served before. An attempt that fails after that would interrupt again if it were repeated.
   * `at once`: also if it fails itself. `when done`: it is refused as a whole, or accepted.
   */
  readonly stopsServing?: StopsServing
  /** Set if it makes a container, or a service or job of a Swarm, from a specification. */
  readonly makes?: true
  /** Set if it clears up after an attempt even where nothing is restored (H29). */
  readonly clearsUp?: true
}

export type StopsServing = 'at once' | 'when done'

/**
 * `shutdown`: the process ends. `sibling`: another step of its stage failed, so that its result changes nothing.
 * `deadline`: its change has lasted too long; only if the step has a `timeoutMs`, because what must not be interrupted
 * has no limit of its own and obeys none from outside (P7).
 */
export type CutOff = 'shutdown' | 'sibling' | 'deadline'

const call = { is: 'call', changes: 'at once', cutOffBy: [] } as const

/** One entry per step, by who carries it out: a step without an entry does not compile. */
const ofBoth = {
  'create-network': call,
  'remove-network': call,
  'run-to-end': { is: 'wait', changes: 'at once', cutOffBy: ['shutdown', 'deadline'] },
  'await-end': { is: 'wait', changes: 'never', cutOffBy: ['shutdown'] },
  'abort-hook': call,
  'put-away': { ...call, clearsUp: true },
} as const satisfies { readonly [N in SharedStep['do']]: StepTraits }

const ofHosts = {
  'pull-image': { is: 'call', changes: 'at once', cutOffBy: ['shutdown'], fetches: true },
  'check-host-path': { ...call, checks: true },
  'check-image': { ...call, checks: true },
  'create-volume': call,
  'remove-volume': call,
  'create-container': { ...call, makes: true },
  'register-pod': call,
  'start-container': call,
  'unpause-container': call,
  'await-healthy': { is: 'wait', changes: 'never', cutOffBy: ['shutdown', 'sibling', 'deadline'] },
  'update-container': call,
  'rename-container': call,
  'stop-container': { ...call, stopsServing: 'at once' },
  'remove-container': call,
  'connect-network': call,
  admit: call,
  drain: { is: 'wait', changes: 'at once', cutOffBy: ['shutdown'] },
  'disconnect-network': call,
  'load-routes': call,
  'remove-image': call,
  'restart-container': call,
  'keep-failed': call,
} as const satisfies { readonly [N in HostStep['do']]: StepTraits }

const ofSwarms = {
  'find-image': { is: 'call', changes: 'never', cutOffBy: ['shutdown'], fetches: true },
  'create-job': { ...call, makes: true },
  'create-service': { ...call, makes: true },
  'update-service': { ...call, makes: true, stopsServing: 'when done' },
  'stop-service': { is: 'wait', changes: 'at once', cutOffBy: [], stopsServing: 'at once' },
  'restore-service': call,
  'await-service': { is: 'wait', changes: 'later', cutOffBy: ['shutdown', 'sibling', 'deadline'] },
  'remove-service': { is: 'wait', changes: 'at once', cutOffBy: [], stopsServing: 'at once' },
  'forget-files': { ...call, clearsUp: true },
} as const satisfies { readonly [N in SwarmStep['do']]: StepTraits }

const traits = { ...ofBoth, ...ofHosts, ...ofSwarms } satisfies { readonly [N in StepName]: StepTraits }

/** Whether a host carries a step out. */
export function isDoneByHost(step: Step): step is StepOnHost {
  return !Object.hasOwn(ofSwarms, step.do)
}

/** Whether a Swarm carries a step out. */
export function isDoneBySwarm(step: Step): step is StepOnSwarm {
  return !Object.hasOwn(ofHosts, step.do)
}

/** The names of the steps that make something. */
export type MakingName = {
  [N in StepName]: (typeof traits)[N] extends { readonly makes: true } ? N : never
}[StepName]

/** Returns what is true of every step of that name. */
export function traitsOf(step: Pick<Step, 'do'>): StepTraits {
  return traits[step.do]
}

/**
 * Returns when a step ends what served before; undefined: it does not. A Swarm that starts each task before it stops the
 * one in its place leaves nobody without an answer.
 */
export function stopsServing(step: Step): StopsServing | undefined {
  const isHandedOver = step.do === 'update-service' && step.placement.runs.update.order === 'start-first'
  return isHandedOver ? undefined : traitsOf(step).stopsServing
}

/** Whether something may cut off a step. A deadline concerns only a step that has a limit itself (G12, P7). */
export function isCutOffBy(step: Step, what: CutOff): boolean {
  const isMet = what !== 'deadline' || ('timeoutMs' in step && step.timeoutMs !== undefined)
  return isMet && traitsOf(step).cutOffBy.includes(what)
}
