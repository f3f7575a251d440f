import { brief } from '../../plan/text/brief.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import type { BatchStatus, DeploymentStatus } from '../../reconcile/status/deployment/deployment-status.ts'
import type { HeldStatus } from '../../reconcile/status/environment-status.ts'
import type { PassError } from '../../reconcile/status/error.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { table } from '../output/table.ts'
import { heldLines } from './held-text.ts'

/**
 * Returns one line for each deployment: what it brings where, and what it waits for.
 * @param told the errors that are shown above: what one of them says is not said again
 */
export function deploymentLines(
  deployments: readonly DeploymentStatus[] = [],
  told: readonly Pick<PassError, 'message'>[] = [],
): readonly Line[] {
  return deployments.flatMap(deployment => {
    const { reason, since } = deployment
    const words = told.some(({ message }) => message === reason)
      ? [`the error above says why (since ${since})`]
      : wordLines(deployment)
    return [`  deployment ${deploymentHead(deployment)}`, ...words.map(line => `    ${line}`)]
  })
}

/** Returns a deployment for people: its batches, and the sites that are still without its version. */
export function deploymentDetail(
  deployment: DeploymentStatus & { readonly environment: string; readonly held?: HeldStatus },
  every: boolean,
): readonly Line[] {
  const { environment, name, held } = deployment
  return [
    styled('bold', `Deployment ${name} in ${environment}`),
    ...heldLines(held === undefined ? [] : [held]),
    `  ${deploymentHead(deployment)}`,
    ...wordLines(deployment).map(line => `  ${line}`),
    ...batchTexts(deployment, every).map(text => `  ${text}`),
    ...leftTable(deployment, every),
  ]
}

/** Returns `shop-everywhere: shop 2.0  progressing  4 of 12 sites done, 2 now, 6 to come`. A name is told once. */
export function deploymentHead(deployment: DeploymentStatus): string {
  const { name, application, version, state, sites, left } = deployment
  const { done, now, toCome, silent = 0, failed = 0, leftOut = 0 } = sites
  const all = done + now + toCome + silent + leftOut
  const sitesText = `${all} ${all === 1 ? 'site' : 'sites'}`
  // Nobody can say which sites are without a version that is not known.
  if (version === undefined && ended.includes(state))
    return `${nameOf({ name, application })}  ${state}  ${all === 0 ? '' : `${sitesText}${keptText(left, all)}`}`.trimEnd()
  const what = `${nameOf({ name, application })}${version === undefined ? '' : ` ${version}`}`
  // Which sites it means now is why it is refused: these are those that it meant before.
  if (state === 'refused' && all > 0) return `${what}  ${state}  it had ${sitesText}${havingText(done, all)}`
  const counts = [
    ...(all === 0 ? [] : [`${done - failed} of ${sitesText} done`]),
    ...(now === 0 ? [] : [`${now} now`]),
    ...(silent === 0 ? [] : [`${silent} silent`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(leftOut === 0 ? [] : [`${leftOut} left out`]),
    ...(toCome === 0 ? [] : [`${toCome} ${ended.includes(state) ? 'without it' : 'to come'}`]),
  ].join(', ')
  return `${what}  ${stateText(deployment)}  ${counts}`.trimEnd()
}

function havingText(having: number, all: number): string {
  if (having === all) return ', with this version'
  return having === 0 ? ', without this version' : `, ${having} of them with this version`
}

/** Tells one that failed from one that a person aborted. */
function stateText({ state, failedOn }: Pick<DeploymentStatus, 'state' | 'failedOn'>): string {
  return failedOn === undefined ? state : 'failed'
}

/** Says what the sites of a deployment stay at of which nobody knows the version. */
function keptText(left: DeploymentStatus['left'], sites: number): string {
  const versions = [...new Set(left.flatMap(({ version }) => (version === '' ? [] : [version])))].sort()
  if (versions.length === 0) return ''
  const last = versions.slice(-1).join('')
  const named =
    versions.length > mostVersions
      ? firstAndMore(versions, mostVersions)
      : [versions.slice(0, -1).join(', '), last].filter(text => text !== '').join(' and ')
  return ` ${sites === 1 ? 'keeps' : 'keep'} ${named}`
}

/** How many versions are named of sites that have several. */
const mostVersions = 3

function nameOf({ name, application }: Pick<DeploymentStatus, 'name' | 'application'>): string {
  return name === application ? name : `${name}: ${application}`
}

/** No site gets the version before somebody does something. */
const ended: readonly DeploymentStatus['state'][] = ['aborted', 'refused', 'blocked']

function wordLines({
  name,
  state,
  reason,
  since,
  until,
  hint,
  approve,
  isPaused,
}: DeploymentStatus): readonly string[] {
  const times = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
  ]
  const why = [brief(reason), ...(times.length === 0 ? [] : [`(${times.join(', ')})`])].join(' ').trim()
  return [
    ...(why === '' ? [] : [why]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(approve === undefined ? [] : [`to let them follow: tallyman approve ${approve}`]),
    ...(state === 'paused' ? [`to go on: tallyman resume ${name}`] : []),
    ...(state === 'aborted' ? [isPaused === true ? pausedWords(name) : endedWords(name)] : []),
  ]
}

function endedWords(name: string): string {
  return `to go on: commit a correction or a revert; to try the same again: tallyman resume ${name}`
}

/** The word that ends the pause also tries the same again, unless something else is wanted by then. */
function pausedWords(name: string): string {
  return `to go on: tallyman resume ${name}, after a correction or a revert if the same is not to be tried again`
}

/** How many sites are named where not all are asked for. */
const mostNames = 5

/** Returns a line for each batch; those after the canaries are counted from 1. */
function batchTexts({ batches }: DeploymentStatus, every: boolean): readonly string[] {
  const canaries = batches.filter(({ canary }) => canary === true)
  const others = batches.filter(({ canary }) => canary !== true)
  return [
    ...canaries.map(batch => batchText(batch.sites.length === 1 ? 'canary' : 'canaries', batch, every)),
    ...others.map((batch, index) => batchText(`batch ${index + 1}`, batch, every)),
  ]
}

function batchText(what: string, { at, sites, otherContent }: BatchStatus, every: boolean): string {
  const done = sites.filter(site => site.done).length
  const names = sites.map(({ site, done }) => (done ? site : `${site} (not done)`))
  const shown = every ? names : names.slice(0, mostNames)
  const more = names.length > shown.length ? ` … (--all lists them)` : ''
  const also = otherContent === true ? ', with the sites that had the version' : ''
  return `${what}${also}, drawn ${at}, ${done} of ${sites.length} done: ${shown.join(', ')}${more}`
}

/** Returns `by way of 3.0`; nothing if the version comes straight. */
function wayTexts(queue: NonNullable<DeploymentStatus['left'][number]['queue']>): readonly string[] {
  const steps = queue.slice(0, -1).filter(({ state }) => state === 'next' || state === 'later')
  return steps.length === 0 ? [] : [`by way of ${steps.map(({ version }) => version).join(', then ')}`]
}

function leftTable({ left, failedOn }: DeploymentStatus, every: boolean): readonly Line[] {
  if (left.length === 0) return []
  const shown = every ? left : left.slice(0, mostNames)
  const why = (reason: string) =>
    failedOn !== undefined && reason === 'aborted' ? `failed on ${failedOn}` : brief(reason)
  const rows = shown.map(({ site, version, reason, code, since, queue = [] }) => [
    site,
    version,
    [
      `${why(reason)}${code === undefined ? '' : ` (${code})`}${since === undefined ? '' : ` (since ${since})`}`,
      ...wayTexts(queue),
    ].join('; '),
  ])
  const more = left.length - shown.length
  return [
    ...table(['site', 'version', 'reason'], rows),
    ...(more === 0 ? [] : [`  and ${more} more; --all lists them`]),
  ]
}
