import { onceFor } from '../memo/once-for.ts'
import { hashOf } from '../state/canonical.ts'
import type { Change, Plan } from './change/change.ts'
import type { Held } from './hold/held.ts'
import { isRunOfJob } from './step/run-of-job.ts'
import type { Step } from './step/step.ts'

/**
 * Returns the id of a plan, a hash of everything that will be done and why, without mere explanations. Each change is
 * hashed by itself, and values that its steps share with each other, or with those of other sites, are hashed once, so
 * that a thousand replicas of a large definition do not become a huge text (G24).
 */
export function planId({ environment, changes }: Pick<Plan, 'environment' | 'changes'>): string {
  return hashOf({ environment, changes: changes.map(change => hashOf(identityOf(change))) }).slice(0, 16)
}

/**
 * Returns the id of the plans of several sites together, in whichever order they are listed. That of one site is its
 * own.
 */
export function joinedPlanId(ids: readonly string[]): string {
  const [only = '', ...others] = ids
  return others.length === 0 ? only : hashOf([...ids].sort()).slice(0, 16)
}

/** Returns a value with the hash of each object in it. */
function read(value: object): object {
  return Array.isArray(value)
    ? value.map(hashed)
    : Object.fromEntries(Object.entries(value).map(([key, field]) => [key, hashed(field)]))
}

function hashed(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? hashOfWhole(value) : value
}

/** An object is hashed once, however many others it stands in. */
const hashOfWhole = onceFor((value: object) => hashOf(read(value)))

function identityOf({ held, applicationRelease: _, whole: __, ...change }: Change): object {
  const { prepare, stages, finish, undo, after, lines } = change
  const inStages = (all: Change['stages']) => all.map(stage => stage.map(stepInId))
  return {
    ...change,
    lines: lines.map(({ said: _, ...line }) => line),
    prepare: prepare.map(read),
    stages: inStages(stages),
    finish: inStages(finish),
    undo: inStages(undo),
    after: read(after.map(({ key, must }) => ({ key, must }))),
    held: held && codeInId(held),
  }
}

/** Where a job belongs is said by the name of its container. */
function stepInId(step: Step): object {
  if (!isRunOfJob(step)) return read(step)
  const { job: _, ...run } = step
  return read(run)
}

/** A version that waits for its turn is the same plan while its deployment is stopped: nothing is done either way. */
function codeInId({ code }: Held): Held['code'] {
  return code === 'deployment-stopped' ? 'not-its-turn' : code
}
