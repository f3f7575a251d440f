import { boundedProblem, type Problem } from '../../errors.ts'
import type { Blocked } from '../../state/application/desired.ts'
import type { Change, Plan } from '../change/change.ts'
import type { LaterRelease } from '../change/walk.ts'
import { describeStep } from '../step/describe.ts'
import { stepsOf } from '../step/step.ts'
import { everyField } from './every-field.ts'

/**
 * Returns the plan in the form of `--output json` and the journal (interface, section 3). Its changes are made one by
 * one, because those of a large plan need much memory.
 */
export function planJson(plan: Plan, needsConfirmation: boolean, sync: string): object {
  const { id, environment, revision, warnings, changes, blocked, unseen } = plan
  return {
    id,
    environment,
    revision,
    sync,
    needsConfirmation,
    warnings: warnings.map(problemJson),
    ...(blocked.length === 0 ? {} : { blocked: blocked.map(blockedJson) }),
    ...(unseen.length === 0 ? {} : { unseen }),
    changes: {
      *[Symbol.iterator]() {
        for (const change of changes) yield changeJson(change)
      },
      toJSON: () => changes.map(changeJson),
    },
  }
}

function changeJson(change: Change): object {
  const {
    prepare,
    stages,
    finish,
    undo,
    jobs,
    lines: _,
    after: __,
    target: ___,
    release: ____,
    applicationRelease: _____,
    noReturnAt,
    deadlineMs: ______,
    whole: _______,
    walk,
    goesWithLast: ________,
    otherVolumes: _________,
    ...shown
  } = change
  const steps = [...prepare, ...stages.flat(), ...finish.flat()]
  return {
    ...shown,
    fields: everyField(change),
    ...(jobs.length === 0 ? {} : { jobs }),
    ...(walk === undefined ? {} : { walk: { ...walk, later: walk.later.map(laterJson) } }),
    ...(noReturnAt === undefined ? {} : { noReturn: true }),
    pulls: stepsOf(steps, 'pull-image').map(({ reference, digest }) => `${reference}@${digest}`),
    steps: steps.map(describeStep),
    undo: undo.flat().map(describeStep),
  }
}

function laterJson({ release: _, jobs, ...later }: LaterRelease): object {
  return { ...later, ...(jobs.length === 0 ? {} : { jobs }) }
}

function problemJson(problem: Problem): object {
  const { code, message, position } = boundedProblem(problem)
  return { code, message, ...position }
}

function blockedJson({ application, sites, problems }: Blocked): object {
  return { application, ...(sites === undefined ? {} : { sites }), problems: problems.map(problemJson) }
}
