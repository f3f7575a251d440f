import { brief } from '../../plan/text/brief.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import type { BatchStatus, DeploymentStatus } from '../../reconcile/status/deployment-status.ts'
import { table } from '../output/table.ts'

/** Returns one line for each deployment: what it brings where, and what it waits for. */
export function deploymentLines(deployments: readonly DeploymentStatus[] = []): readonly Line[] {
  return deployments.flatMap(deployment => [
    `  deployment ${headOf(deployment)}`,
    ...wordLines(deployment).map(line => `    ${line}`),
  ])
}

/** Returns a deployment for people: its batches, and the sites that are still without its version. */
export function deploymentDetail(deployment: DeploymentStatus, every: boolean): readonly Line[] {
  const { name, left } = deployment
  return [
    styled('bold', `Deployment ${name}`),
    `  ${headOf(deployment)}`,
    ...wordLines(deployment).map(line => `  ${line}`),
    ...batchTexts(deployment, every).map(text => `  ${text}`),
    ...leftTable(left, every),
  ]
}

/** Returns `shop-everywhere: shop 2.0  progressing  4 of 12 sites done, 2 now, 6 to come`. A name is told once. */
function headOf({ name, application, version, state, sites }: DeploymentStatus): string {
  const { done, now, toCome } = sites
  const counts = [
    `${done} of ${done + now + toCome} ${done + now + toCome === 1 ? 'site' : 'sites'} done`,
    ...(now === 0 ? [] : [`${now} now`]),
    ...(toCome === 0 ? [] : [`${toCome} ${state === 'aborted' ? 'without it' : 'to come'}`]),
  ].join(', ')
  const what = name === application ? name : `${name}: ${application}`
  return `${what}${version === undefined ? '' : ` ${version}`}  ${state}  ${counts}`
}

function wordLines({ name, state, reason, since, until, approve }: DeploymentStatus): readonly string[] {
  const times = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
  ]
  const why = [brief(reason), ...(times.length === 0 ? [] : [`(${times.join(', ')})`])].join(' ').trim()
  return [
    ...(why === '' ? [] : [why]),
    ...(approve === undefined ? [] : [`to let them follow: tallyman approve ${approve}`]),
    ...(state === 'paused' ? [`to go on: tallyman resume ${name}`] : []),
    ...(state === 'aborted'
      ? [`to go on: commit a correction or a revert; to try the same again: tallyman resume ${name}`]
      : []),
  ]
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

function batchText(what: string, { at, sites }: BatchStatus, every: boolean): string {
  const done = sites.filter(site => site.done).length
  const names = sites.map(({ site, done }) => (done ? site : `${site} (not done)`))
  const shown = every ? names : names.slice(0, mostNames)
  const more = names.length > shown.length ? ` … (--all lists them)` : ''
  return `${what}, drawn ${at}, ${done} of ${sites.length} done: ${shown.join(', ')}${more}`
}

function leftTable(left: DeploymentStatus['left'], every: boolean): readonly Line[] {
  if (left.length === 0) return []
  const shown = every ? left : left.slice(0, mostNames)
  const rows = shown.map(({ site, version, reason }) => [site, version, brief(reason)])
  const more = left.length - shown.length
  return [
    ...table(['site', 'version', 'reason'], rows),
    ...(more === 0 ? [] : [`  and ${more} more; --all lists them`]),
  ]
}
