import type { Change, Plan } from './change.ts'
import { describeStep } from './describe.ts'

/** The plan as `--output json` and the journal have it (interface, section 3). */
export function planJson(plan: Plan, needsConfirmation: boolean, sync: string): object {
  const { id, environment, revision, warnings, changes } = plan
  return {
    id,
    environment,
    revision,
    sync,
    needsConfirmation,
    warnings: warnings.map(({ code, message, position }) => ({
      code,
      message,
      ...(position === undefined ? {} : position),
    })),
    changes: changes.map(changeJson),
  }
}

function changeJson(change: Change): object {
  const {
    site,
    application,
    service,
    instances,
    action,
    cause,
    reason,
    fields,
    strategy,
    strategyReason,
    downtime,
    held,
  } = change
  const steps = [...change.prepare, ...change.stages.flat()]
  return {
    site,
    application,
    service,
    instances,
    action,
    cause,
    reason,
    fields,
    strategy,
    strategyReason,
    downtime,
    pulls: steps.flatMap(step => (step.do === 'pull-image' ? [`${step.reference}@${step.digest}`] : [])),
    steps: steps.map(describeStep),
    undo: change.undo.flat().map(describeStep),
    ...(held === undefined ? {} : { held }),
  }
}
