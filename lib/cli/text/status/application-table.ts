import { optional } from '../../../object.ts'
import { brief } from '../../../plan/text/brief.ts'
import { alikeAmong, sitesAmong, sitesInWords, toldOnce } from '../../../plan/text/by-site.ts'
import type { Line } from '../../../plan/text/line.ts'
import { greatest } from '../../../reconcile/extremes.ts'
import type { ApplicationStatus } from '../../../reconcile/status/application/application-status.ts'
import { declinedText } from '../../../reconcile/status/application/waiting/awaited-approval.ts'
import type { StatusDocument } from '../../../reconcile/status/status-document.ts'
import { shortCommit } from '../../../state/repository/revision.ts'
import { atAnySite, atSites } from '../../../text/sites/at-sites.ts'
import { table } from '../../output/table.ts'
import { fitting } from './fitting.ts'
import { earliest } from './trouble-text.ts'

/**
 * Shows applications one by one, and below them whole why they are as they are, where a row has only the beginning.
 * `isSummary`: what reads the same on several sites is told once (G13).
 */
export function applicationTable(environment: StatusDocument, isSummary: boolean): readonly Line[] {
  const shown = { ...environment, applications: withDeclined(environment) }
  const applications = toldAbove(shown)
  if (applications.length === 0) return []
  const rows = isSummary ? summaryRows(applications) : applications.map(applicationRow)
  return [
    ...table(['application', 'site', 'sync', 'health', 'version', 'running', 'commit', 'reason'], rows),
    ...wholeReasons(shown, isSummary),
  ]
}

/** Says of applications who discarded the plan of their site, unless that is said above of the plan of all sites (G13). */
function withDeclined({ applications, declined }: StatusDocument): StatusDocument['applications'] {
  if (declined !== undefined) return applications
  return applications.map(one => {
    const no = one.approval?.of === 'itself' ? one.approval.declined : undefined
    return no === undefined ? one : { ...one, reason: `${one.reason}; its plan ${declinedText(no)}` }
  })
}

/** What an error above says of an application on all of its sites is not said again for each of them. */
function toldAbove({ applications, errors }: StatusDocument): StatusDocument['applications'] {
  const told = new Set(errors.map(({ resource = '', code }) => `${resource} ${code}`))
  return applications.map(one =>
    one.code !== undefined && told.has(`${one.application} ${one.code}`)
      ? { ...one, reason: `blocked: ${one.code}` }
      : one,
  )
}

/** In a summary, no more reasons than this are told whole. */
const mostReasons = 10

/** What an error or a deployment says is told whole above the table. */
function wholeReasons(
  { applications, errors, deployments = [] }: StatusDocument,
  isSummary: boolean,
): readonly Line[] {
  const above = [...errors.map(({ message }) => message), ...deployments.map(({ reason }) => reason)]
  const long = applications.filter(
    ({ reason }) => fitting(brief(reason)) !== brief(reason) && !above.some(text => text.includes(reason)),
  )
  const told = toldOnce(
    long.map(one => ({ ...one, reason: atAnySite(one.reason, one.site) })),
    ({ application, site, reason }, sites) => `  ${application} on ${site}: ${atSites(brief(reason), sites)}`,
    sitesInWords,
  )
  return isSummary ? told.slice(0, mostReasons) : told
}

/**
 * What is not as it should be comes first. Of times that differ from site to site, the first is shown, and of numbers of
 * restarts the greatest.
 */
function summaryRows(applications: readonly ApplicationStatus[]): readonly (readonly string[])[] {
  const isWell = ({ sync, health, restarts }: ApplicationStatus) =>
    sync === 'Synced' && health === 'Healthy' && restarts === undefined
  const alikeWorded = applications.map(one => ({ ...one, reason: atAnySite(one.reason, one.site) }))
  const inOrder = [...alikeWorded.filter(one => !isWell(one)), ...alikeWorded.filter(isWell)]
  const alike = alikeAmong(inOrder, ({ since: _, next: __, ...one }) =>
    applicationRow({ ...one, site: '', ...(one.restarts === undefined ? {} : { restarts: 1 }) }),
  )
  return alike.map(all => {
    const times = {
      ...optional('since', earliest(all.map(one => one.since))),
      ...optional('next', earliest(all.map(one => one.next))),
      ...optional('restarts', greatest(all.map(one => one.restarts))),
    }
    const sites = sitesAmong(all)
    const reason = atSites(all[0].reason, sites)
    return applicationRow({ ...all[0], reason, site: sitesInWords(sites), ...times })
  })
}

function applicationRow({
  site,
  application,
  sync,
  health,
  version,
  wantedVersion,
  running,
  wanted,
  commit,
  reason,
  since,
  next,
  windowEnds,
  restarts,
}: ApplicationStatus): readonly string[] {
  return [
    application,
    site,
    sync,
    health,
    wantedVersion === undefined ? version : `${version} → ${wantedVersion}`,
    `${running}/${wanted ?? '?'}`,
    shortCommit(commit),
    [
      ...(reason === '' ? [] : [fitting(brief(reason))]),
      ...(since === undefined ? [] : [`(since ${since})`]),
      ...(next === undefined ? [] : [`(tried again by ${next})`]),
      ...(windowEnds === undefined ? [] : [`(the window closes ${windowEnds})`]),
      ...(restarts === undefined
        ? []
        : [`(has ended and was started again ${restarts === 1 ? 'once' : `${restarts} times`})`]),
    ].join(' '),
  ]
}
