import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { EnvironmentQuery } from '../answers/request.gen.ts'
import type { Histogram as Durations } from '../ingress/figures.ts'
import type { ApplicationStatus } from '../reconcile/status/application/application-status.ts'
import type { IngressStatus } from '../reconcile/status/ingress/ingress-status.ts'
import { printable } from '../text/printable.ts'
import type { ControlOptions } from './controlled.ts'
import { findControlled, nameOf } from './environments.ts'
import { statusOf } from './ingresses.ts'

/** What one environment adds to the metrics. */
export type Measured = {
  readonly environment: string
  readonly ingresses: readonly IngressStatus[]
  readonly applications: readonly ApplicationStatus[]
}

/** Returns the metrics in Prometheus' text format, of one environment if it is named. Fails with `wrong-usage`. */
export async function metrics(
  { running }: ControlOptions,
  { environment }: EnvironmentQuery,
): Promise<string> {
  const asked = environment === undefined ? running : [findControlled(running, environment)]
  const measured = asked.map(async controlled => ({
    environment: nameOf(controlled),
    ingresses: await statusOf(controlled),
    applications: controlled.loop.state().last?.status ?? [],
  }))
  return metricsText(await Promise.all(measured))
}

type Labels = Readonly<Record<string, string>>
type Sample = { readonly labels: Labels; readonly value: number }

/**
 * Returns the metrics as they are now. Nothing is counted here: others counted, and the registry lives only for one
 * answer. Metrics without a value are left out.
 */
export function metricsText(measured: readonly Measured[]): Promise<string> {
  const registry = new Registry()
  const gauge = (name: string, help: string, samples: readonly Sample[]) => {
    if (samples.length === 0) return
    const made = new Gauge({ name, help, labelNames: labelNamesOf(samples), registers: [registry] })
    for (const { labels, value } of samples) made.set(harmless(labels), value)
  }
  const counter = (name: string, help: string, samples: readonly Sample[]) => {
    if (samples.length === 0) return
    const made = new Counter({ name, help, labelNames: labelNamesOf(samples), registers: [registry] })
    for (const { labels, value } of samples) made.inc(harmless(labels), value)
  }
  const seen = measured.flatMap(({ environment, ingresses }) =>
    ingresses.map(status => ({ at: { environment, site: status.site }, status })),
  )
  const answering = seen.flatMap(({ at, status }) => ('failure' in status ? [] : [{ at, ...status }]))
  gauge(
    'tallyman_ingress_up',
    'Whether the ingress says what it does.',
    seen.map(({ at, status }) => ({ labels: at, value: 'failure' in status ? 0 : 1 })),
  )
  gauge(
    'tallyman_ingress_draining',
    'Whether load balancers are told to send it no more requests.',
    answering.map(({ at, isDraining }) => ({ labels: at, value: isDraining ? 1 : 0 })),
  )
  counter(
    'tallyman_ingress_requests_total',
    'Requests of users, by where they came in and the host that was asked for.',
    answering.flatMap(({ at, figures }) =>
      figures.requests.map(({ labels, value }) => ({ labels: { ...at, ...labels }, value })),
    ),
  )
  counter(
    'tallyman_ingress_request_errors_total',
    'Of these, requests that nobody answered but the ingress itself.',
    answering.flatMap(({ at, figures }) =>
      figures.errors.map(({ labels, value }) => ({ labels: { ...at, ...labels }, value })),
    ),
  )
  const durations = answering.flatMap(({ at, figures }) =>
    figures.durations.map(one => ({ ...one, labels: harmless({ ...at, ...one.labels }) })),
  )
  if (durations.length > 0) registry.registerMetric(new CountedElsewhere(durations))
  gauge(
    'tallyman_ingress_certificate_expires_timestamp_seconds',
    'When a certificate expires; 0: there is none yet.',
    answering.flatMap(({ at, certificates }) =>
      certificates
        .filter(({ state }) => state !== 'unknown')
        .map(certificate => {
          const expiresMs = 'expiresMs' in certificate ? certificate.expiresMs : 0
          return { labels: { ...at, names: certificate.names.join(',') }, value: expiresMs / 1000 }
        }),
    ),
  )
  const routes = measured.flatMap(routesOf)
  gauge(
    'tallyman_route_instances',
    'Instances that get the requests of a route.',
    routes.map(({ labels, admitted }) => ({ labels, value: admitted })),
  )
  gauge(
    'tallyman_route_instances_wanted',
    'Instances that are to get them.',
    routes.flatMap(({ labels, wanted }) => (wanted === undefined ? [] : [{ labels, value: wanted }])),
  )
  return registry.metrics()
}

function routesOf({ environment, applications }: Measured) {
  return applications.flatMap(({ site, application, routes = [] }) =>
    routes.flatMap(route => {
      if ('redirect' in route) return []
      const { url, service, admitted, wanted } = route
      return [{ labels: { environment, site, application, service, route: url }, admitted, wanted }]
    }),
  )
}

const durationsAre = {
  name: 'tallyman_ingress_request_duration_seconds',
  help: 'From the first byte of a request to the last of its answer, by the class of the status.',
}

/** A histogram whose buckets the ingress counted: the library only counts single observations. */
class CountedElsewhere extends Histogram {
  readonly counted: readonly (Omit<Durations, 'labels'> & { readonly labels: Labels })[]

  constructor(counted: CountedElsewhere['counted']) {
    super({ ...durationsAre, registers: [] })
    this.counted = counted
  }

  /** What the registry prints. */
  async getForPromString() {
    const { name, help } = durationsAre
    const values = this.counted.flatMap(({ labels, buckets, count, sumSeconds }) => [
      ...[...buckets].map(([le, value]) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le },
        value,
      })),
      { metricName: `${name}_sum`, labels, value: sumSeconds },
      { metricName: `${name}_count`, labels, value: count },
    ])
    return { name, help, type: 'histogram', values }
  }
}

function labelNamesOf(samples: readonly Sample[]): string[] {
  return [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))]
}

/**
 * Makes what acts on a terminal a text about it (G24), but for line breaks: the format has an escape for them, which
 * the library writes.
 */
function harmless(labels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [
      name,
      value
        .split('\n')
        .map(line => printable(line))
        .join('\n'),
    ]),
  )
}
