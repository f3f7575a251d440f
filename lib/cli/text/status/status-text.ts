import { brief } from '../../../plan/text/brief.ts'
import { sitesInWords, toldOnce } from '../../../plan/text/by-site.ts'
import { type Line, styled } from '../../../plan/text/line.ts'
import { signedText } from '../../../plan/text/render.ts'
import type { ApplicationStatus } from '../../../reconcile/status/application/application-status.ts'
import type { RouteStatus } from '../../../reconcile/status/application/sync-and-health/route-status.ts'
import type { QueuedVersion } from '../../../reconcile/status/application/waiting/queue-view.ts'
import type { SaidWord } from '../../../reconcile/status/plan/plan-standing.ts'
import type { StatusDocument } from '../../../reconcile/status/status-document.ts'
import type { IsolatorOutcome } from '../../../state/application/pod/pod.ts'
import { type Revision, shortCommit } from '../../../state/repository/revision.ts'
import { inQuotes } from '../../../text/in-quotes.ts'
import { table } from '../../output/table.ts'
import { deploymentLines } from '../deployment-text.ts'
import { heldLines } from '../held-text.ts'
import { agoText } from '../time.ts'
import { applicationTable } from './application-table.ts'
import { fitting } from './fitting.ts'
import { ingressLines } from './ingress-text.ts'
import { knownSites } from './on-sites.ts'
import { taskTable } from './task-table.ts'
import {
  earliest,
  errorLines,
  swarmMadeAnewLines,
  unreachableLines,
  unusedSwarmLines,
  wrongFileLines,
} from './trouble-text.ts'

/** With more sites than this, what reads the same on several of them is told once. */
const mostSites = 10

/**
 * Returns one environment for people: its state, and beside it why it differs from the desired one. `every`: every row
 * of every site is shown, however many there are.
 */
export function statusLines(environment: StatusDocument, nowMs: number, every = false): readonly Line[] {
  const { applications, ingress, engines } = environment
  const isSummary = !every && knownSites(environment).size > mostSites
  return [
    headLine(environment),
    ...seenLines(environment, nowMs, isSummary),
    ...standingLines(environment, isSummary),
    ...suspensionLines(environment),
    ...heldLines(environment.held),
    ...errorLines(environment, isSummary),
    ...unreachableLines(environment, isSummary),
    ...wrongFileLines(environment),
    ...unusedSwarmLines(environment),
    ...swarmMadeAnewLines(environment),
    ...(environment.next === undefined || environment.sync === 'Synced'
      ? []
      : [`  looks again by ${environment.next}`]),
    ...deploymentLines(environment.deployments, environment.errors),
    ...applicationTable(environment, isSummary),
    ...queueTable(applications, isSummary),
    ...routeTable(applications, isSummary),
    ...taskTable(applications, isSummary, every),
    ...isolatorTable(applications, isSummary),
    ...ingressLines(ingress, engines, isSummary),
    ...(isSummary
      ? ['  told once for all sites that are alike; --site NAME shows one, --all shows all']
      : []),
  ]
}

function headLine({ environment, sync, revision, outcome }: StatusDocument): Line {
  const at = revision === undefined ? '' : `  at ${commitText(revision)}${signedText(revision.signedBy)}`
  const pass = outcome === undefined ? '' : `  last pass: ${outcome}`
  return [styled('bold', environment || '(not read yet)'), `  ${sync}${at}${pass}`]
}

function commitText({ commit, subject }: Pick<Revision, 'commit' | 'subject'>): string {
  return `${shortCommit(commit)}${subject === '' ? '' : ` ${inQuotes(subject)}`}`
}

/** Says that nobody looks after an environment, and how old what is told of it is. `at`: absent if that is not known. */
export function lastKnownText(at: string | undefined, nowMs: number): string {
  return `no daemon runs; this is the last known state${at === undefined ? '' : `, at ${timeAndAge(at, nowMs)}`}`
}

function timeAndAge(at: string, nowMs: number): string {
  return `${at} (${agoText(nowMs - Date.parse(at))})`
}

/** Says how old the state is, unless it is current. */
function seenLines(
  { daemon, seenAt, lookedAt, applications }: StatusDocument,
  nowMs: number,
  isSummary: boolean,
): readonly string[] {
  const time = (at: string) => timeAndAge(at, nowMs)
  if (!daemon) return [`  ${lastKnownText(seenAt ?? lookedAt, nowMs)}`]
  if (seenAt !== undefined) return [`  the running containers were last seen at ${time(seenAt)}`]
  const silent = new Map(applications.flatMap(({ site, seenAt }) => (seenAt ? [[site, seenAt]] : [])))
  if (isSummary && silent.size > 1) {
    const first = earliest([...silent.values()]) ?? ''
    return [
      `  the containers on ${sitesInWords([...silent.keys()])} were last seen at ${time(first)} or later`,
    ]
  }
  return [...silent].map(([site, at]) => `  the containers on ${site} were last seen at ${time(at)}`)
}

function standingLines(
  { daemon, running, revision, waiting, approved, declined }: StatusDocument,
  isSummary: boolean,
): readonly string[] {
  const underWay = underWayLines(running, revision, isSummary)
  if (waiting !== undefined)
    return [
      ...underWay,
      daemon
        ? `  waits since ${waiting.since}: tallyman approve ${waiting.plan}`
        : `  waits since ${waiting.since}: plan ${waiting.plan}`,
    ]
  // What was approved is what is under way.
  if (underWay.length > 0) return [...underWay, ...wordLine('discarded', declined)]
  return [...wordLine('approved', approved), ...postponedLine(approved), ...wordLine('discarded', declined)]
}

/** `compared`: the commit of the head line. */
function underWayLines(
  running: StatusDocument['running'],
  compared: Revision | undefined,
  isSummary: boolean,
): readonly string[] {
  if (running === undefined || running.changes.length === 0) return []
  const { since, changes, note, revision, newer } = running
  const said = note === undefined ? '' : `: ${brief(note)}`
  const step = running.step === undefined ? '' : ` (${running.step}${said})`
  const shown = isSummary ? changes.slice(0, mostSites) : changes
  const more = changes.length - shown.length
  const isOther = revision !== undefined && revision.commit !== compared?.commit
  const of = isOther ? `, at ${commitText(revision)}` : ''
  return [
    `  under way since ${since}${of}: ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}${step}`,
    ...(newer === undefined ? [] : [`  ${commitText(newer)} waits for that: ${brief(newer.reason)}`]),
  ]
}

function wordLine(word: string, said: SaidWord | undefined): readonly string[] {
  if (said === undefined) return []
  const message = said.message === undefined ? '' : `: ${said.message}`
  return [`  plan ${said.plan} was ${word} by ${said.who} at ${said.at}${message}`]
}

function postponedLine(approved: StatusDocument['approved']): readonly string[] {
  if (approved === undefined) return []
  const { plan, reason, carriedOutOn } = approved
  if (carriedOutOn !== undefined)
    return [
      `    carried out on ${sitesInWords(carriedOutOn)}; the others wait`,
      `    to take it back there: tallyman discard ${plan}`,
    ]
  if (reason === undefined) return []
  return [`    not carried out yet: ${brief(reason)}`, `    to take it back: tallyman discard ${plan}`]
}

function suspensionLines({ suspensions }: StatusDocument): readonly string[] {
  return suspensions.map(({ application, reason, who, until }) => {
    const what = application === undefined ? '' : ` ${application}`
    return `  suspended${what} by ${who}: ${reason}${until === undefined ? '' : ` (until ${until})`}`
  })
}

/** Shows what waits of an application on a site, unless that is only the wanted version, of which its row says all. */
function queueTable(applications: StatusDocument['applications'], isSummary: boolean): readonly Line[] {
  const waiting = applications.flatMap(({ application, site, queue = [] }) =>
    queue.length < 2 && queue.every(({ forced }) => forced !== true)
      ? []
      : queue.map(one => ({ ...one, application, site })),
  )
  const rows = isSummary ? toldOnce(waiting, queueRow, sitesInWords) : waiting.map(queueRow)
  return rows.length === 0 ? [] : table(['queue', 'site', 'version', 'state', 'reason'], rows)
}

function queueRow({
  application,
  site,
  version,
  state,
  reason = '',
  forced,
}: QueuedVersion & Pick<ApplicationStatus, 'application' | 'site'>): readonly string[] {
  return [application, site, version, forced === true ? `${state}, forced` : state, fitting(brief(reason))]
}

function routeTable(applications: StatusDocument['applications'], isSummary: boolean): readonly Line[] {
  const routes = applications.flatMap(({ application, site, routes = [] }) =>
    routes.map(route => ({ ...route, application, site })),
  )
  const rows = isSummary ? toldOnce(routes, routeRow, sitesInWords) : routes.map(routeRow)
  return rows.length === 0 ? [] : table(['route', 'service', 'site', 'instances that get requests'], rows)
}

function routeRow(route: RouteStatus & Pick<ApplicationStatus, 'application' | 'site'>): readonly string[] {
  return [
    route.url,
    `${route.application}/${route.service}`,
    route.site,
    'redirect' in route
      ? `none: ${route.waitsForIngress ? 'waits for the ingress, to be ' : ''}sent on to ${route.redirect}`
      : `${route.admitted} of ${route.wanted ?? '?'}${route.waitsForIngress ? ': waits for the ingress' : ''}`,
  ]
}

/** Shows the isolators of pods that are not enforced as they are written (C40). */
function isolatorTable(applications: StatusDocument['applications'], isSummary: boolean): readonly Line[] {
  const changed = applications.flatMap(({ application, site, isolators = [] }) =>
    isolators.flatMap(one => (one.outcome === 'enforced' ? [] : [{ ...one, application, site }])),
  )
  const rows = isSummary ? toldOnce(changed, isolatorRow, sitesInWords) : changed.map(isolatorRow)
  return rows.length === 0 ? [] : table(['isolator', 'of', 'site', 'outcome', 'reason'], rows)
}

function isolatorRow({
  isolator,
  application,
  app,
  site,
  outcome,
  reason = '',
}: IsolatorOutcome & Pick<ApplicationStatus, 'application' | 'site'>): readonly string[] {
  return [isolator, app === undefined ? application : `${application}/${app}`, site, outcome, reason]
}
