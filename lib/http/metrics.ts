import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { EnvironmentQuery } from '../answers/request.gen.ts'
import { Failure } from '../errors.ts'
import type { Histogram as Durations, RequestFigures } from '../ingress/figures.ts'
import type { Pacing } from '../reconcile/concurrency/pacing.ts'
import type { ApplicationStatus } from '../reconcile/status/application/application-status.ts'
import type { IngressStatus } from '../reconcile/status/ingress/ingress-status.ts'
import { printable } from '../text/printable.ts'
import type { ControlOptions } from './controlled.ts'
import { findControlled, nameOfControlled } from './environments.ts'
import { ingressStatuses } from './ingresses.ts'

/** What one environment adds to the metrics. */
export type Measured = {
  readonly environment: string
  readonly ingresses: readonly IngressStatus[]
  readonly applications: readonly ApplicationStatus[]
}

/**
 * Returns the metrics in Prometheus' text format, of one environment if it is named; they are made as they are sent. Fails
 * with `wrong-usage`.
 */
export async function metrics(
  { running }: ControlOptions,
  { environment }: EnvironmentQuery,
): Promise<AsyncIterable<string>> {
  const asked = environment === undefined ? running : [findControlled(running, environment)]
  const measured = asked.map(async controlled => ({
    environment: nameOfControlled(controlled),
    ingresses: await ingressStatuses(controlled),
    applications: controlled.loop.state().last?.status ?? [],
  }))
  return metricsText(await Promise.all(measured), async () => running[0]?.world.pacing.tell())
}

type Answering = Exclude<IngressStatus, { readonly failure: Failure }>
type Labels = Readonly<Record<string, string>>
type Sample = { readonly labels: Labels; readonly value: number }

/**
 * Returns the metrics as they are now, in pieces. Nothing is counted here: others counted, and a registry lives only for
 * one piece of an answer. Metrics without a value are left out.
 * @param goOn waited for between the pieces in which many sites or many hosts are told
 */
export async function* metricsText(
  measured: readonly Measured[],
  goOn: Pacing['goOn'],
): AsyncGenerator<string> {
  const seen = measured.flatMap(({ environment, ingresses }) =>
    ingresses.map(status => ({ at: { environment, site: status.site }, status })),
  )
  const answering = seen.flatMap(({ at, status }) => ('failure' in status ? [] : [{ at, answer: status }]))
  const routed = measured.flatMap(({ environment, applications }) =>
    applications.flatMap(one => (one.routes === undefined ? [] : [{ environment, ...one }])),
  )
  const counted = (what: 'requests' | 'errors') =>
    function* ({ at, answer }: (typeof answering)[number]): Generator<Sample> {
      for (const { labels, value } of figuresOf(answer)[what]) yield { labels: { ...at, ...labels }, value }
    }
  const metrics = [
    gauge('tallyman_ingress_up', 'Whether the ingress says what it does.', seen, ({ at, status }) => [
      { labels: at, value: 'failure' in status || status.figures instanceof Failure ? 0 : 1 },
    ]),
    gauge(
      'tallyman_ingress_draining',
      'Whether load balancers are told to send it no more requests.',
      answering,
      ({ at, answer }) => [{ labels: at, value: answer.isDraining ? 1 : 0 }],
    ),
    counter(
      'tallyman_ingress_requests_total',
      'Requests of users, by where they came in and the host that was asked for.',
      answering,
      counted('requests'),
    ),
    counter(
      'tallyman_ingress_request_errors_total',
      'Of these, requests that nobody answered but the ingress itself.',
      answering,
      counted('errors'),
    ),
    made(
      answering,
      ({ at, answer }) => linesOf(at, figuresOf(answer).durations),
      (lines, registry) => registry.registerMetric(new CountedElsewhere(lines)),
    ),
    gauge(
      'tallyman_ingress_certificate_expires_timestamp_seconds',
      'When a certificate expires; 0: there is none yet.',
      answering,
      ({ at, answer }) =>
        answer.certificates
          .filter(({ state }) => state !== 'unknown')
          .map(certificate => {
            const expiresMs = 'expiresMs' in certificate ? certificate.expiresMs : 0
            return { labels: { ...at, names: certificate.names.join(',') }, value: expiresMs / 1000 }
          }),
    ),
    gauge('tallyman_route_instances', 'Instances that get the requests of a route.', routed, one =>
      labelledRoutes(one).map(({ labels, admitted }) => ({ labels, value: admitted })),
    ),
    gauge('tallyman_route_instances_wanted', 'Instances that are to get them.', routed, one =>
      labelledRoutes(one).flatMap(({ labels, wanted }) =>
        wanted === undefined ? [] : [{ labels, value: wanted }],
      ),
    ),
  ]
  let before = ''
  for (const pieces of metrics) {
    let hasHead = false
    for await (const text of pieces) {
      if (text !== '') {
        yield hasHead ? withoutHead(text) : before + text
        hasHead = true
        before = '\n'
      }
      await goOn()
    }
  }
}

function figuresOf({ figures }: Pick<Answering, 'figures'>): RequestFigures {
  return figures instanceof Failure ? { requests: [], errors: [], durations: [] } : figures
}

/** The texts of the pieces of one metric, each of which is a metric of its own; empty: it has no value. */
type MetricPieces = Iterable<Promise<string>>

function gauge<Item>(
  name: string,
  help: string,
  items: readonly Item[],
  samplesOf: (item: Item) => Iterable<Sample>,
): MetricPieces {
  return made(items, samplesOf, (samples, registry) => {
    const metric = new Gauge({ name, help, labelNames: labelNamesOf(samples), registers: [registry] })
    for (const { labels, value } of samples) metric.set(harmless(labels), value)
  })
}

function counter<Item>(
  name: string,
  help: string,
  items: readonly Item[],
  samplesOf: (item: Item) => Iterable<Sample>,
): MetricPieces {
  return made(items, samplesOf, (samples, registry) => {
    const metric = new Counter({ name, help, labelNames: labelNamesOf(samples), registers: [registry] })
    for (const { labels, value } of samples) metric.inc(harmless(labels), value)
  })
}

/** How many samples a piece has at most, in which nothing else has a turn: some milliseconds. */
const mostSamples = 500
/** Of how many sites, or applications on sites, a piece tells at most. */
const mostItems = 100

function* made<Item, Value>(
  items: readonly Item[],
  valuesOf: (item: Item) => Iterable<Value>,
  register: (values: readonly Value[], registry: Registry) => void,
): Generator<Promise<string>> {
  const textOf = async (values: readonly Value[]) => {
    if (values.length === 0) return ''
    const registry = new Registry()
    register(values, registry)
    return registry.metrics()
  }
  for (const values of inPieces(items, valuesOf)) yield textOf(values)
}

/** Yields the values of some items at a time, and of an item with many only some of them. */
function* inPieces<Item, Value>(
  items: readonly Item[],
  valuesOf: (item: Item) => Iterable<Value>,
): Generator<readonly Value[]> {
  let values: Value[] = []
  for (const [index, item] of items.entries()) {
    for (const value of valuesOf(item)) {
      values.push(value)
      if (values.length < mostSamples) continue
      yield values
      values = []
    }
    if ((index + 1) % mostItems !== 0) continue
    yield values
    values = []
  }
  yield values
}

/** Returns the text of a metric without the two lines that say what it is. */
function withoutHead(text: string): string {
  return text.replace(/^#.*\n#.*\n/, '')
}

type InEnvironment = ApplicationStatus & { readonly environment: string }

function labelledRoutes({ environment, site, application, routes = [] }: InEnvironment) {
  return routes.flatMap(route => {
    if ('redirect' in route) return []
    const { url, service, admitted, wanted } = route
    return [{ labels: { environment, site, application, service, route: url }, admitted, wanted }]
  })
}

const durationsAre = {
  name: 'tallyman_ingress_request_duration_seconds',
  help: 'From the first byte of a request to the last of its answer, by the class of the status.',
}

type HistogramLine = { readonly metricName: string; readonly labels: Labels; readonly value: number }

function* linesOf(at: Labels, durations: readonly Durations[]): Generator<HistogramLine> {
  const { name } = durationsAre
  for (const { labels: own, buckets, count, sumSeconds } of durations) {
    const labels = harmless({ ...at, ...own })
    for (const [le, value] of buckets)
      yield { metricName: `${name}_bucket`, labels: { ...labels, ...harmless({ le }) }, value }
    yield { metricName: `${name}_sum`, labels, value: sumSeconds }
    yield { metricName: `${name}_count`, labels, value: count }
  }
}

/** A histogram whose buckets the ingress counted: the library only counts single observations. */
class CountedElsewhere extends Histogram {
  readonly lines: readonly HistogramLine[]

  constructor(lines: CountedElsewhere['lines']) {
    super({ ...durationsAre, registers: [] })
    this.lines = lines
  }

  /** What the registry prints. */
  async getForPromString() {
    return { ...durationsAre, type: 'histogram', values: this.lines }
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
