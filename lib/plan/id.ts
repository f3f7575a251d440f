import { hashOf } from '../state/canonical.ts'
import type { Change, Plan } from './change.ts'
import type { Placement, Step } from './step.ts'

/**
 * Returns the id of a plan, a hash of everything that will be done and why, without mere explanations. Each change is
 * hashed by itself, and values that its steps share are hashed once, so that a thousand replicas of a large definition
 * do not become a huge text (G24).
 */
export function planId({ environment, changes }: Pick<Plan, 'environment' | 'changes'>): string {
  const known = new Map<object, string>()
  const read: Read = shared => {
    const hash = known.get(shared) ?? hashOf(shared)
    known.set(shared, hash)
    return hash
  }
  return hashOf({ environment, changes: changes.map(change => hashOf(identityOf(change, read))) }).slice(
    0,
    16,
  )
}

/** Returns the id of the plans of several sites together. That of one site is its own. */
export function joinedPlanId([only, ...others]: readonly string[]): string {
  return others.length === 0 ? (only ?? '') : hashOf([only, ...others]).slice(0, 16)
}

/** Returns the hash of a value that several steps share. */
type Read = (shared: object) => string

function identityOf({ held, applicationRelease: _, whole: __, ...change }: Change, read: Read): object {
  const { prepare, stages, finish, undo, after } = change
  const inStages = (all: Change['stages']) => all.map(stage => stage.map(step => stepIdentity(step, read)))
  return {
    ...change,
    prepare: prepare.map(step => stepIdentity(step, read)),
    stages: inStages(stages),
    finish: inStages(finish),
    undo: inStages(undo),
    after: read(after),
    held: held?.code,
  }
}

function stepIdentity(step: Step, read: Read): object {
  switch (step.do) {
    case 'create-container':
      return { ...step, spec: read(step.spec), placement: placementIdentity(step.placement, read) }
    case 'load-routes':
      return { ...step, proxy: read(step.proxy) }
    default:
      return step
  }
}

function placementIdentity(placement: Placement, read: Read): object {
  const { network, attachments, aliases } = placement
  return {
    ...placement,
    network: read(network),
    attachments: read(attachments),
    aliases: read(aliases),
  }
}
