import { formatProblem } from '../../errors.ts'
import { type Revision, type Signer, shortCommit } from '../../state/repository/revision.ts'
import { inQuotes } from '../../text/in-quotes.ts'
import { atSites } from '../../text/sites/at-sites.ts'
import { type Change, type InstanceLine, isAsked, isBack, type Plan, titleOf } from '../change/change.ts'
import { brief } from './brief.ts'
import { alikeAmong, sitesInPlan, toldOnce } from './by-site.ts'
import { changeLines } from './change-text.ts'
import { laterLines } from './later-text.ts'
import { blocks, type Line, styled } from './line.ts'

/** What a person wants to see of a plan. `verbose`: nothing is left out. `sites`: all sites are named. */
export type PlanDetail = { readonly verbose?: boolean; readonly sites?: boolean }

/** Returns a plan for people, like Terraform's: what, why, field by field, and how (G7). */
export function renderPlan(
  plan: Plan,
  { verbose = false, sites = verbose }: PlanDetail = {},
): readonly Line[] {
  const told = (changes: readonly Change[]) =>
    toldOnce(
      changes,
      change => changeLines(change, verbose),
      names => sitesInPlan(names, sites),
    )
  const due = plan.changes.filter(isAsked)
  const [back, drift] = [due.filter(isBack), due.filter(isDrift)]
  const others = due.filter(({ cause }) => cause !== 'drifted').toSorted(nowFirst)
  return blocks(
    plan.changes.length === 0 ? [] : [heading(plan)],
    warningBlock(plan),
    ...told(others),
    laterLines(others, verbose, names => sitesInPlan(names, sites)),
    back.length === 0
      ? []
      : [styled('bold', 'Back to what ran before a rollout that did not come to its end:')],
    ...told(back),
    drift.length === 0 ? [] : [styled('bold', 'Drift: what runs was changed from outside, and is repaired:')],
    ...told(drift),
    heldBlock(plan, sites),
    blockedBlock(plan, sites),
    [lastLine(plan)],
  )
}

function isDrift(change: Change): boolean {
  return change.cause === 'drifted' && !isBack(change)
}

/** What waits for its turn comes after what goes at once. */
function nowFirst(one: Change, other: Change): number {
  return Number(one.held !== undefined) - Number(other.held !== undefined)
}

/** Returns `Plan: 2 to create, 1 to replace, 0 to remove.` */
export function lastLine(plan: Plan): string {
  if (plan.changes.length === 0) return nothingToDo(plan)
  const asked = plan.changes.filter(isAsked)
  const scaled = asked.filter(({ action }) => action === 'scale').length
  const signs = asked.flatMap(({ lines, action }) =>
    action === 'scale' ? [] : lines.map(({ sign }) => sign),
  )
  const count = (wanted: InstanceLine['sign']) => signs.filter(sign => sign === wanted).length
  const repairs = count('~')
  const scaleText = scaled === 0 ? '' : `, ${scaled} to scale`
  const repairText = repairs === 0 ? '' : `, ${repairs} to repair`
  return `Plan: ${count('+')} to create, ${count('-/+')} to replace, ${count('-')} to remove${scaleText}${repairText}.`
}

function nothingToDo({ blocked, unseen, warnings }: Plan): string {
  if (unseen.length > 0) return `No changes where an engine answers; ${unseen.join(', ')} does not.`
  if (blocked.length > 0) return 'No changes to the other applications.'
  if (warnings.some(({ code }) => code === 'version-held'))
    return 'No changes. What is held runs in the version at which it is held, and all else is what the manifest says.'
  return 'No changes. What runs is what the manifest says.'
}

function heading({ id, environment, revision }: Plan): Line {
  return [styled('bold', `Plan ${id}`), ` for ${environment} at ${revisionText(revision)}`]
}

/** Returns `1f2e3d4c5b6a "Ship it" by Ann`, and who signed it. */
export function revisionText(revision: Revision): string {
  const words = [shortCommit(revision.commit), aboutText(revision)].filter(text => text !== '')
  return `${words.join(' ')}${signedText(revision.signedBy)}`
}

/**
 * Returns `"Ship it" by Ann`, in which neither can be taken for what follows, such as who signed it (G24). The files of a
 * directory that is no checkout have neither.
 */
export function aboutText({ author, subject }: Pick<Revision, 'author' | 'subject'>): string {
  const by = usualAuthor.test(author) ? author : inQuotes(author)
  const words = [subject === '' ? '' : inQuotes(subject), author === '' ? '' : `by ${by}`]
  return words.filter(text => text !== '').join(' ')
}

/** A name, and the address of a mailbox. */
const usualAuthor = /^[^<>"(),]*(?:<[^<>"(),\s]*>)?$/

/** Returns `, signed by Ada (SHA256:…)`; empty if signatures are not required. */
export function signedText(signer: Signer | undefined): string {
  return signer === undefined ? '' : `, signed by ${signer.name} (${signer.key})`
}

function heldBlock(plan: Plan, sites: boolean): readonly Line[] {
  const held = plan.changes.filter(change => !isAsked(change))
  if (held.length === 0) return []
  const lines = toldOnce(
    held,
    (change, names) =>
      `  ${titleOf(change)}  ${atSites(change.held?.reason ?? '', names)} (${change.held?.code ?? ''})`,
    names => sitesInPlan(names, sites),
  )
  return [styled('bold', 'Differs, and is left alone:'), ...lines]
}

/** Shows names only, because each problem is shown once, as an error with its hint. */
function blockedBlock({ blocked }: Plan, every: boolean): readonly Line[] {
  if (blocked.length === 0) return []
  const told = blocked.map(({ application, problems, sites = [] }) => {
    const codes = new Set(problems.map(({ code }) => code))
    return { application, sites, codes: `(${[...codes].join(', ')})` }
  })
  const alike = alikeAmong(told, ({ application, codes, sites }) => [application, codes, sites.length > 0])
  const lines = alike.map(group => {
    const [{ application, codes }] = group
    const sites = [...new Set(group.flatMap(one => one.sites))]
    return `  ${application}${sites.length === 0 ? '' : ` on ${sitesInPlan(sites, every)}`}  ${codes}`
  })
  return [styled('bold', 'Blocked, nothing of it is touched:'), ...lines]
}

function warningBlock(plan: Plan): readonly Line[] {
  const held = new Set(plan.changes.map(({ held }) => held?.code))
  const warnings = plan.warnings.filter(({ code }) => !held.has(code))
  if (warnings.length === 0) return []
  return [styled('bold', 'Warnings:'), ...warnings.map(warning => `  ${brief(formatProblem(warning))}`)]
}
