import { brief } from '../plan/brief.ts'
import { paint } from '../plan/paint.ts'
import { printable } from '../printable.ts'
import type { ApplicationStatus } from '../reconcile/status.ts'
import { createClient } from './client.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import { type IngressDocument, ingressLines } from './ingress-text.ts'
import type { Output } from './output.ts'
import { controlSocketOf } from './state-dir.ts'
import { table } from './table.ts'

type Environment = {
  readonly environment: string
  readonly sync: string
  readonly outcome?: string
  readonly revision?: { readonly commit: string; readonly subject: string; readonly author: string }
  readonly running?: { readonly since: string; readonly changes: readonly string[]; readonly step?: string }
  readonly waiting?: { readonly plan: string; readonly since: string }
  readonly next?: string
  readonly suspensions: readonly {
    readonly application?: string
    readonly reason: string
    readonly who: string
    readonly until?: string
  }[]
  readonly errors: readonly { readonly code: string; readonly message: string; readonly hint: string }[]
  readonly applications: readonly ApplicationStatus[]
  readonly ingress: IngressDocument['sites']
}

/** What the daemon last saw: sync and health of each application, and why (G13). */
export async function status(output: Output, flags: CommonFlags): Promise<number> {
  const client = createClient(controlSocketOf(flags))
  const [answer, ingress] = (await Promise.all([
    client.get('/api/v1/environments'),
    client.get('/api/v1/ingress'),
  ])) as [readonly Omit<Environment, 'ingress'>[], readonly IngressDocument[]]
  const asked = answer
    .filter(({ environment }) => flags.environment?.includes(environment) ?? true)
    .map(one => ({
      ...one,
      ingress: ingress.find(({ environment }) => environment === one.environment)?.sites ?? [],
    }))
  if (output.json) output.document(asked)
  else output.text(asked.map(environment => render(environment, output.color)).join('\n'))
  return exitCode.done
}

function render(environment: Environment, colored: boolean): string {
  const { bold } = paint(colored)
  const { revision, sync, outcome, running, waiting, next, suspensions, errors, applications } = environment
  const at =
    revision === undefined ? '' : `  at ${revision.commit.slice(0, 12)} "${printable(revision.subject)}"`
  const rows = applications.map(
    ({ site, application, sync, health, version, wantedVersion, running, wanted, commit, reason, since }) => [
      application,
      site,
      sync,
      health,
      wantedVersion === undefined ? version : `${version} → ${wantedVersion}`,
      `${running}/${wanted ?? '?'}`,
      commit.slice(0, 12),
      `${shortened(brief(reason))}${since === undefined ? '' : ` (since ${since})`}`,
    ],
  )
  const routes = applications.flatMap(({ application, site, routes = [] }) =>
    routes.map(route => [
      route.url,
      `${application}/${route.service}`,
      site,
      'redirect' in route ? `none: sent on to ${route.redirect}` : `${route.admitted} of ${route.wanted}`,
    ]),
  )
  return [
    `${bold(environment.environment || '(not read yet)')}  ${sync}${at}${outcome === undefined ? '' : `  last pass: ${outcome}`}`,
    ...(running === undefined || running.changes.length === 0
      ? []
      : [
          `  under way since ${running.since}: ${running.changes.join(', ')}${running.step === undefined ? '' : ` (${running.step})`}`,
        ]),
    ...(waiting === undefined || (running?.changes.length ?? 0) > 0
      ? []
      : [`  waits since ${waiting.since}: tallyman approve ${waiting.plan}`]),
    ...suspensions.map(
      ({ application, reason, who, until }) =>
        `  suspended${application === undefined ? '' : ` ${application}`} by ${who}: ${printable(reason)}${until === undefined ? '' : ` (until ${until})`}`,
    ),
    ...errors.map(({ code, message, hint }) => `  ${brief(message)} (${code})\n    hint: ${printable(hint)}`),
    ...(next === undefined || sync === 'Synced' ? [] : [`  looks again by ${next}`]),
    ...(rows.length === 0
      ? []
      : [table(['application', 'site', 'sync', 'health', 'version', 'running', 'commit', 'reason'], rows)]),
    ...(routes.length === 0
      ? []
      : [table(['route', 'service', 'site', 'instances that get requests'], routes)]),
    ...ingressLines(environment.ingress, paint(colored)),
    '',
  ].join('\n')
}

/** The last column is for a glance; what is wrong stands above in full. */
function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
