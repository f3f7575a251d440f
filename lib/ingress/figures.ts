import { byText } from '../text/order.ts'
/** What Caddy counted of users' requests. The counters begin again with its process. */
export type RequestFigures = {
  readonly requests: readonly Count[]
  /** Those of the requests that the ingress itself answered with 503, 504 or 413. */
  readonly errors: readonly Count[]
  /** By the class of the status. Caddy 2.6 leaves out what the ingress answered itself; later versions count it. */
  readonly durations: readonly Histogram[]
}

export type Count = { readonly labels: FigureLabels; readonly value: number }

export type Histogram = {
  readonly labels: FigureLabels
  /** Requests of at most so many seconds, keyed by Caddy's text for them: `0.005`, …, `+Inf`. */
  readonly buckets: ReadonlyMap<string, number>
  readonly count: number
  readonly sumSeconds: number
}

export type FigureLabels = {
  /** The server that received the requests: `http` or `https`. */
  readonly server: string
  /** The host without its port. Absent: a host that no route names, or a Caddy that does not count by host. */
  readonly host?: string
  /** The class of the status, such as `2xx`; of durations only. */
  readonly code?: string
}

/**
 * Reads Caddy's own metrics, added up before or not. Each request goes through one handler of a server, so the sum over
 * all handlers counts each request once. Requests of load balancers are left out.
 */
export function requestFigures(metrics: string): RequestFigures {
  const samples = metrics.split('\n').flatMap(line => sampleOf(line) ?? [])
  const named = (name: string) => samples.filter(sample => sample.name === `caddy_http_request${name}`)
  const [counts, sums] = [named('_duration_seconds_count'), named('_duration_seconds_sum')]
  const buckets = named('_duration_seconds_bucket')
  const sumOf = new Map(summed(sums).map(({ labels, value }) => [keyOf(labels), value]))
  const bucketsOf = Map.groupBy(buckets, ({ labels }) => keyOf(labels))
  return {
    requests: summed(named('s_total')),
    errors: summed(named('_errors_total')),
    durations: summed(counts).map(({ labels, value: count }) => ({
      labels,
      buckets: byLimit(bucketsOf.get(keyOf(labels)) ?? []),
      count,
      sumSeconds: sumOf.get(keyOf(labels)) ?? 0,
    })),
  }
}

type Sample = Count & { readonly name: string; readonly limit: string }

/** `name{label="value",…} 12` */
function sampleOf(line: string): Sample | undefined {
  const [, name, written = '', value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? []
  if (name === undefined) return undefined
  const pairs = [...written.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = '', text = '']) => [label, unescaped(text)] as const,
  )
  const { server, host, code, le: limit = '' } = Object.fromEntries(pairs)
  if (server !== 'http' && server !== 'https') return undefined
  const labels = {
    server,
    ...(host === undefined || host === '_other' ? {} : { host: host.replace(/:\d+$/, '') }),
    ...(code === undefined ? {} : { code: `${code.slice(0, 1)}xx` }),
  }
  return { name, labels, limit, value: Number(value) }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter))
}

function summed(samples: readonly Sample[]): readonly Count[] {
  return [...Map.groupBy(samples, ({ labels }) => keyOf(labels)).values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return []
      return [{ labels: first.labels, value: others.reduce((sum, { value }) => sum + value, first.value) }]
    })
    .sort(byText(({ labels }) => keyOf(labels)))
}

function byLimit(buckets: readonly Sample[]): ReadonlyMap<string, number> {
  const limits = Map.groupBy(buckets, ({ limit }) => limit)
  return new Map(
    [...limits].map(([limit, same]) => [limit, same.reduce((sum, { value }) => sum + value, 0)] as const),
  )
}

function keyOf({ server, host, code }: FigureLabels): string {
  return JSON.stringify([server, host, code])
}
