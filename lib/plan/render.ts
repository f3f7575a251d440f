import { formatProblem } from '../errors.ts'
import { brief } from './brief.ts'
import { type Change, type FieldChange, type InstanceLine, type Plan, titleOf } from './change.ts'
import { type Painter, paint } from './paint.ts'

/** A plan for people, like Terraform's: what, why, field by field, and how (G7). Ends with a newline. */
export function renderPlan(plan: Plan, options: { readonly color: boolean }): string {
  const color = paint(options.color)
  const due = plan.changes.filter(({ held }) => held === undefined)
  const drift = due.filter(({ cause }) => cause === 'drifted')
  const others = due.filter(({ cause }) => cause !== 'drifted')
  const blocks = [
    ...(plan.changes.length === 0 ? [] : [heading(plan, color)]),
    ...others.map(change => changeBlock(change, color)),
    ...(drift.length === 0
      ? []
      : [color.bold('Drift: what runs was changed from outside, and is repaired:')]),
    ...drift.map(change => changeBlock(change, color)),
    ...heldBlock(plan, color),
    ...blockedBlock(plan, color),
    ...warningBlock(plan, color),
    lastLine(plan),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** `Plan: 2 to create, 1 to replace, 0 to remove.` */
export function lastLine(plan: Plan): string {
  if (plan.changes.length === 0) return nothingToDo(plan)
  const signs = plan.changes
    .filter(({ held }) => held === undefined)
    .flatMap(({ lines }) => lines.map(({ sign }) => sign))
  const count = (wanted: InstanceLine['sign']) => signs.filter(sign => sign === wanted).length
  const repairs = count('~')
  const repairText = repairs === 0 ? '' : `, ${repairs} to repair`
  return `Plan: ${count('+')} to create, ${count('-/+')} to replace, ${count('-')} to remove${repairText}.`
}

function nothingToDo({ blocked, unseen }: Plan): string {
  if (unseen.length > 0) return `No changes where an engine answers; ${unseen.join(', ')} does not.`
  if (blocked.length > 0) return 'No changes to the other applications.'
  return 'No changes. What runs is what the manifest says.'
}

function heading({ id, environment, revision }: Plan, color: Painter): string {
  const { commit, author, subject } = revision
  return `${color.bold(`Plan ${id}`)} for ${environment} at ${commit.slice(0, 12)} "${subject}" by ${author}`
}

function changeBlock(change: Change, color: Painter): string {
  const lines = change.lines.map(line => `  ${colored(line, color)}`)
  const fields = change.fields.map(field => `        ${fieldLine(field)}`)
  const how = howLine(change)
  return [titleOf(change), ...lines, ...fields, ...(how === '' ? [] : [`        ${color.dim(how)}`])].join(
    '\n',
  )
}

function colored({ sign, name, reason }: InstanceLine, color: Painter): string {
  const text = `${sign.padStart(3)} ${brief(name)}  ${reason}`
  switch (sign) {
    case '+':
      return color.green(text)
    case '-':
      return color.red(text)
    case '-/+':
    case '~':
      return color.yellow(text)
  }
}

function fieldLine({ path, ...change }: FieldChange): string {
  const from = change.from === undefined ? undefined : brief(change.from)
  const to = change.to === undefined ? undefined : brief(change.to)
  if (from === undefined) return `${path}: ${to}`
  if (to === undefined) return `${path}: ${from} → (not set)`
  return `${path}: ${from} → ${to}`
}

function howLine({ strategy, strategyReason, downtime, prepare, jobs, noReturnAt }: Change): string {
  const how =
    strategy === 'none'
      ? ''
      : `${strategy}: ${strategyReason}; ${downtime ? 'with a short downtime' : 'no downtime'}`
  const pulls = prepare.filter(step => step.do === 'pull-image').length
  return [
    how,
    jobs.length === 0 ? '' : `runs ${jobs.join(', ')}`,
    noReturnAt === undefined ? '' : 'a failure after the mid hook began is not undone',
    pulls === 0 ? '' : `${pulls === 1 ? '1 image' : `${pulls} images`} to verify and pull`,
  ]
    .filter(Boolean)
    .join('; ')
}

function heldBlock(plan: Plan, color: Painter): readonly string[] {
  const held = plan.changes.filter(({ held }) => held !== undefined)
  if (held.length === 0) return []
  const lines = held.map(
    change => `  ${titleOf(change)}  ${change.held?.reason ?? ''} (${change.held?.code ?? ''})`,
  )
  return [[color.bold('Differs, and is left alone:'), ...lines].join('\n')]
}

/** By name only: what is wrong is said once, as an error with its hint. */
function blockedBlock({ blocked }: Plan, color: Painter): readonly string[] {
  if (blocked.length === 0) return []
  const lines = blocked.map(
    ({ application, problems }) =>
      `  ${application}  (${[...new Set(problems.map(({ code }) => code))].join(', ')})`,
  )
  return [[color.bold('Blocked, nothing of it is touched:'), ...lines].join('\n')]
}

function warningBlock(plan: Plan, color: Painter): readonly string[] {
  const held = new Set(plan.changes.map(({ held }) => held?.code))
  const warnings = plan.warnings.filter(({ code }) => !held.has(code))
  if (warnings.length === 0) return []
  return [
    [color.bold('Warnings:'), ...warnings.map(warning => `  ${brief(formatProblem(warning))}`)].join('\n'),
  ]
}
