import { brief } from '../../plan/text/brief.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import { signedText } from '../../plan/text/render.ts'
import type { SaidWord } from '../../reconcile/status/environment-status.ts'
import type { StatusDocument } from '../../reconcile/status/status-document.ts'
import { shortCommit } from '../../state/repository/revision.ts'
import { table } from '../output/table.ts'
import { deploymentLines } from './deployment-text.ts'
import { ingressLines } from './ingress-text.ts'
import { agoText } from './time.ts'

/** Returns one environment for people: its state, and beside it why it differs from the desired one. */
export function statusLines(environment: StatusDocument, nowMs: number): readonly Line[] {
  const { applications, ingress, engines } = environment
  return [
    headLine(environment),
    ...seenLines(environment, nowMs),
    ...standingLines(environment),
    ...suspensionLines(environment),
    ...heldLines(environment),
    ...errorLines(environment),
    ...unreachableLines(environment),
    ...(environment.next === undefined || environment.sync === 'Synced'
      ? []
      : [`  looks again by ${environment.next}`]),
    ...deploymentLines(environment.deployments),
    ...applicationTable(applications),
    ...routeTable(applications),
    ...ingressLines(ingress, engines),
  ]
}

function headLine({ environment, sync, revision, outcome }: StatusDocument): Line {
  const subject = revision === undefined || revision.subject === '' ? '' : ` "${revision.subject}"`
  const at =
    revision === undefined
      ? ''
      : `  at ${shortCommit(revision.commit)}${subject}${signedText(revision.signedBy)}`
  const pass = outcome === undefined ? '' : `  last pass: ${outcome}`
  return [styled('bold', environment || '(not read yet)'), `  ${sync}${at}${pass}`]
}

/** Says how old the state is, unless it is current. */
function seenLines(
  { daemon, seenAt, lookedAt, applications }: StatusDocument,
  nowMs: number,
): readonly string[] {
  const time = (at: string) => `${at} (${agoText(nowMs - Date.parse(at))})`
  if (!daemon) {
    const at = seenAt ?? lookedAt
    return [`  no daemon runs; this is the last known state${at === undefined ? '' : `, at ${time(at)}`}`]
  }
  if (seenAt !== undefined) return [`  the running containers were last seen at ${time(seenAt)}`]
  const silent = new Map(applications.flatMap(({ site, seenAt }) => (seenAt ? [[site, seenAt]] : [])))
  return [...silent].map(([site, at]) => `  the containers on ${site} were last seen at ${time(at)}`)
}

function standingLines({ daemon, running, waiting, approved, declined }: StatusDocument): readonly string[] {
  const underWay = underWayLines(running)
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

function underWayLines(running: StatusDocument['running']): readonly string[] {
  if (running === undefined || running.changes.length === 0) return []
  const step = running.step === undefined ? '' : ` (${running.step})`
  return [`  under way since ${running.since}: ${running.changes.join(', ')}${step}`]
}

function wordLine(word: string, said: SaidWord | undefined): readonly string[] {
  if (said === undefined) return []
  const message = said.message === undefined ? '' : `: ${said.message}`
  return [`  plan ${said.plan} was ${word} by ${said.who} at ${said.at}${message}`]
}

function postponedLine(approved: StatusDocument['approved']): readonly string[] {
  if (approved?.reason === undefined) return []
  const { plan, reason } = approved
  return [`    not carried out yet: ${brief(reason)}`, `    to take it back: tallyman discard ${plan}`]
}

function suspensionLines({ suspensions }: StatusDocument): readonly string[] {
  return suspensions.map(({ application, reason, who, until }) => {
    const what = application === undefined ? '' : ` ${application}`
    return `  suspended${what} by ${who}: ${reason}${until === undefined ? '' : ` (until ${until})`}`
  })
}

function heldLines({ held = [] }: StatusDocument): readonly string[] {
  return held.map(({ application, version, commit, reason, who }) => {
    const why = reason === '' ? '' : `: ${reason}`
    return `  ${application} held at version ${version} (${shortCommit(commit)}) by ${who}${why}; to end it: tallyman resume ${application}`
  })
}

function errorLines({ unread, revision, errors }: StatusDocument): readonly string[] {
  const why = revision === undefined ? 'cannot be used' : 'is not the one that counts'
  const newest = unread === undefined ? [] : [`  the newest commit, ${shortCommit(unread)}, ${why}:`]
  return [
    ...newest,
    ...errors.flatMap(({ code, message, hint }) => [`  ${brief(message)} (${code})`, `    hint: ${hint}`]),
  ]
}

function unreachableLines({ unreachable = [] }: StatusDocument): readonly string[] {
  return unreachable.flatMap(({ site, since, next, code, message, hint }) => [
    `  ${site} is unreachable since ${since}${next === undefined ? '' : `, next try ${next}`}`,
    `    ${brief(message)} (${code})`,
    `    hint: ${hint}`,
  ])
}

function applicationTable(applications: StatusDocument['applications']): readonly Line[] {
  if (applications.length === 0) return []
  const rows = applications.map(
    ({ site, application, sync, health, version, wantedVersion, running, wanted, commit, reason, since }) => [
      application,
      site,
      sync,
      health,
      wantedVersion === undefined ? version : `${version} → ${wantedVersion}`,
      `${running}/${wanted ?? '?'}`,
      shortCommit(commit),
      `${shortened(brief(reason))}${since === undefined ? '' : ` (since ${since})`}`,
    ],
  )
  return table(['application', 'site', 'sync', 'health', 'version', 'running', 'commit', 'reason'], rows)
}

function routeTable(applications: StatusDocument['applications']): readonly Line[] {
  const rows = applications.flatMap(({ application, site, routes = [] }) =>
    routes.map(route => [
      route.url,
      `${application}/${route.service}`,
      site,
      'redirect' in route ? `none: sent on to ${route.redirect}` : `${route.admitted} of ${route.wanted}`,
    ]),
  )
  return rows.length === 0 ? [] : table(['route', 'service', 'site', 'instances that get requests'], rows)
}

/** The last column is shortened, because the lines above have the full text of every problem. */
function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
