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

/** How much of the text is read in one turn of the event loop, in characters: some milliseconds. */
const piece = 32 * 1024

/**
 * Reads Caddy's own metrics, added up before or not. Each request goes through one handler of a server, so the sum over
 * all handlers counts each request once. Requests of load balancers are left out, and so is a line that is longer than
 * any of Caddy's.
 * @param goOn waited for after each piece of the text: a thousand hosts have some 10 MiB
 */
export async function requestFigures(metrics: string, goOn: () => Promise<void>): Promise<RequestFigures> {
  const read = createReading()
  for (const lines of pieces(metrics)) {
    for (const line of lines.split('\n')) read.line(line)
    await goOn()
  }
  return read.figures()
}

/** Whole lines of a text, some of them at a time. */
function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + piece >= text.length ? text.length : text.lastIndexOf('\n', at + piece)
    if (end > at) yield text.slice(at, end)
    const next = end > at ? end : text.indexOf('\n', at + piece)
    if (next === -1) return
    at = next + 1
  }
}

/** What was read so far, by what figures are told apart by. */
function createReading() {
  const [requests, errors] = [new Map<string, Sum>(), new Map<string, Sum>()]
  const durations = new Map<string, Timed>()
  let last: { readonly written: string; readonly labelled: Labelled | undefined } | undefined
  const labelledAs = (written: string): Labelled | undefined => {
    // The lines of a histogram have the same.
    last = last?.written === written ? last : { written, labelled: labelled(written) }
    return last.labelled
  }
  const timedOf = ({ key, labels }: Labelled): Timed => {
    const timed = durations.get(key) ?? { labels, key, buckets: new Map(), count: undefined, sumSeconds: 0 }
    durations.set(key, timed)
    return timed
  }
  return {
    /** `caddy_http_requestNAME{label="value",…,le="limit"} 12` */
    line(line: string): void {
      const [, name, written = '', limit = '', text] = sample.exec(line) ?? []
      const series = name === undefined ? undefined : labelledAs(written)
      if (series === undefined) return
      const value = Number(text)
      switch (name) {
        case 's_total':
          add(requests, series, value)
          break
        case '_errors_total':
          add(errors, series, value)
          break
        default:
          time(timedOf(series), name, limit, value)
      }
    },
    figures: (): RequestFigures => ({
      requests: sorted(requests).map(({ labels, value }) => ({ labels, value })),
      errors: sorted(errors).map(({ labels, value }) => ({ labels, value })),
      durations: sorted(durations).flatMap(({ labels, buckets, count, sumSeconds }) =>
        count === undefined ? [] : [{ labels, buckets, count, sumSeconds }],
      ),
    }),
  }
}

const sample =
  /^caddy_http_request(s_total|_errors_total|_duration_seconds_(?:bucket|sum|count))\{(.*?)(?:,le="([^"]*)")?\} (\S+)$/

type Labelled = { readonly labels: FigureLabels; readonly key: string }
type Sum = Labelled & { value: number }
type Timed = Labelled & { buckets: Map<string, number>; count: number | undefined; sumSeconds: number }

function add(sums: Map<string, Sum>, { key, labels }: Labelled, value: number): void {
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, { key, labels, value })
  else sum.value += value
}

function time(timed: Timed, name: string | undefined, limit: string, value: number): void {
  switch (name) {
    case '_duration_seconds_bucket':
      timed.buckets.set(limit, (timed.buckets.get(limit) ?? 0) + value)
      break
    case '_duration_seconds_sum':
      timed.sumSeconds += value
      break
    case '_duration_seconds_count':
      timed.count = (timed.count ?? 0) + value
  }
}

function sorted<One extends Labelled>(all: ReadonlyMap<string, One>): readonly One[] {
  return [...all.values()].sort(byText(({ key }) => key))
}

/** Returns what a line is about, by its labels as they are written; undefined if load balancers asked. */
function labelled(written: string): Labelled | undefined {
  const pairs = [...written.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = '', text = '']) => [label, unescaped(text)] as const,
  )
  const { server, host, code } = Object.fromEntries(pairs)
  if (server !== 'http' && server !== 'https') return undefined
  const labels = {
    server,
    ...(host === undefined || host === '_other' ? {} : { host: host.replace(/:\d+$/, '') }),
    ...(code === undefined ? {} : { code: `${code.slice(0, 1)}xx` }),
  }
  return { labels, key: JSON.stringify([labels.server, labels.host, labels.code]) }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter))
}
