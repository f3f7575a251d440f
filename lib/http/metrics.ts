import { printable } from '../printable.ts'
import type { IngressStatus } from '../reconcile/ingress-status.ts'
import type { ApplicationStatus } from '../reconcile/status.ts'
import type { ControlOptions, Given } from './controlled.ts'
import { findEnvironment, nameOf } from './environments.ts'
import { statusOf } from './ingress.ts'

/** What one environment adds to the metrics. */
export type Measured = {
  readonly environment: string
  readonly ingresses: readonly IngressStatus[]
  readonly applications: readonly ApplicationStatus[]
}

/** Returns the metrics in Prometheus' text format, of one environment if it is named. Fails with `wrong-usage`. */
export async function metrics({ running }: ControlOptions, { environment }: Given): Promise<string> {
  const asked = environment === undefined ? running : [findEnvironment(running, environment)]
  const measured = asked.map(async controlled => ({
    environment: nameOf(controlled),
    ingresses: await statusOf(controlled),
    applications: controlled.loop.state().last?.status ?? [],
  }))
  return metricsText(await Promise.all(measured))
}

type Labels = Readonly<Record<string, string>>
type Sample = readonly [suffix: string, labels: Labels, value: number]
type Family = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** Leaves out metrics without a value. */
export function metricsText(measured: readonly Measured[]): string {
  const seen = measured.flatMap(({ environment, ingresses }) =>
    ingresses.map(status => ({ at: { environment, site: status.site }, status })),
  )
  const answering = seen.flatMap(({ at, status }) => ('failure' in status ? [] : [{ at, ...status }]))
  const families: readonly Family[] = [
    {
      name: 'tallyman_ingress_up',
      type: 'gauge',
      help: 'Whether the ingress says what it does.',
      samples: seen.map(({ at, status }) => ['', at, 'failure' in status ? 0 : 1]),
    },
    {
      name: 'tallyman_ingress_draining',
      type: 'gauge',
      help: 'Whether load balancers are told to send it no more requests.',
      samples: answering.map(({ at, isDraining }) => ['', at, isDraining ? 1 : 0]),
    },
    {
      name: 'tallyman_ingress_requests_total',
      type: 'counter',
      help: 'Requests of users, by where they came in and the host that was asked for.',
      samples: answering.flatMap(({ at, figures }) =>
        figures.requests.map(({ labels, value }): Sample => ['', { ...at, ...labels }, value]),
      ),
    },
    {
      name: 'tallyman_ingress_request_errors_total',
      type: 'counter',
      help: 'Of these, requests that nobody answered but the ingress itself.',
      samples: answering.flatMap(({ at, figures }) =>
        figures.errors.map(({ labels, value }): Sample => ['', { ...at, ...labels }, value]),
      ),
    },
    {
      name: 'tallyman_ingress_request_duration_seconds',
      type: 'histogram',
      help: 'From the first byte of a request to the last of its answer, by the class of the status.',
      samples: answering.flatMap(({ at, figures }) =>
        figures.durations.flatMap(({ labels, buckets, count, sumSeconds }): readonly Sample[] => {
          const all = { ...at, ...labels }
          return [
            ...[...buckets].map(([le, value]): Sample => ['_bucket', { ...all, le }, value]),
            ['_sum', all, sumSeconds],
            ['_count', all, count],
          ]
        }),
      ),
    },
    {
      name: 'tallyman_ingress_certificate_expires_timestamp_seconds',
      type: 'gauge',
      help: 'When a certificate expires; 0: there is none yet.',
      samples: answering.flatMap(({ at, certificates }) =>
        certificates
          .filter(({ state }) => state !== 'unknown')
          .map((certificate): Sample => {
            const expiresMs = 'expiresMs' in certificate ? certificate.expiresMs : 0
            return ['', { ...at, names: certificate.names.join(',') }, expiresMs / 1000]
          }),
      ),
    },
    ...routeFamilies(measured),
  ]
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(familyText)
    .join('')
}

function routeFamilies(measured: readonly Measured[]): readonly Family[] {
  const routes = measured.flatMap(({ environment, applications }) =>
    applications.flatMap(({ site, application, routes = [] }) =>
      routes.flatMap(route => {
        if ('redirect' in route) return []
        const { url, service, admitted, wanted } = route
        return { labels: { environment, site, application, service, route: url }, admitted, wanted }
      }),
    ),
  )
  return [
    {
      name: 'tallyman_route_instances',
      type: 'gauge',
      help: 'Instances that get the requests of a route.',
      samples: routes.map(({ labels, admitted }) => ['', labels, admitted]),
    },
    {
      name: 'tallyman_route_instances_wanted',
      type: 'gauge',
      help: 'Instances that are to get them.',
      samples: routes.map(({ labels, wanted }) => ['', labels, wanted]),
    },
  ]
}

function familyText({ name, type, help, samples }: Family): string {
  const lines = samples.map(([suffix, labels, value]) => `${name}${suffix}{${labelsText(labels)}} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
}

/**
 * Escapes a label value. The format has escapes for these three characters only. Characters that control a terminal
 * become a text about them (G24).
 */
function escaped(value: string): string {
  return value
    .split('\n')
    .map(line => printable(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"'))
    .join('\\n')
}
