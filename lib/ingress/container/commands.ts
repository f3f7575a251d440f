import { drainingFile, files } from './files.ts'

/** A program to run in the container of the ingress, how long it may take, and how much it may say; absent: 1 MiB. */
export type Command = {
  readonly argv: readonly string[]
  readonly limitMs: number
  readonly mostBytes?: number
}

/**
 * Where Caddy's administration listens: only inside the container, because whoever reaches it may change everything.
 * Everything that is asked of it is therefore asked by a program in the container.
 */
export const adminAddress = 'localhost:2019'

const ask = (path: string) => ['wget', '-q', '-O', '-', `http://127.0.0.1:2019${path}`]
const draining = `${drainingFile.directory}/${drainingFile.name}`

/** A person at a terminal waits for the metrics, and needs the rest of the report before five seconds are over. */
const metricsMs = 4_000

/**
 * Adds Caddy's figures of requests up by what `requestFigures` tells apart. Applications choose the status of an answer,
 * and each code is told for each method: of these, only the class is left. Prints nothing unless everything came.
 */
const addUp = `
/^# end$/ { whole = 1 }
/^caddy_http_request(s_total|_errors_total|_duration_seconds_[a-z]+)[{]/ {
  value = $NF
  sub(/ [^ ]*$/, "")
  sub(/handler="[^"]*",?/, "")
  sub(/method="[^"]*",?/, "")
  if (match($0, /code="[0-9]+"/)) $0 = substr($0, 1, RSTART + 6) "xx\\"" substr($0, RSTART + RLENGTH)
  if (!($0 in sum)) names[++count] = $0
  sum[$0] += value
}
END {
  if (!whole) exit 1
  for (place = 1; place <= count; place++) printf "%s %.17g\\n", names[place], sum[names[place]]
}`

/** Everything that is ever run in the container of the ingress. */
export const commands = {
  reload: { argv: ['caddy', 'reload', '--config', files.next], limitMs: 60_000 },
  version: { argv: ['caddy', 'version'], limitMs: 10_000 },
  /** Answers with the id of the loaded configuration, which `loadedMarkIn` reads. */
  loaded: { argv: ask('/config/@id'), limitMs: 5_000 },
  /** Answers with the requests under way, which `requestsUnderWay` reads. */
  underWay: { argv: ask('/reverse_proxy/upstreams'), limitMs: 10_000 },
  /**
   * Answers with the metrics that `requestFigures` reads, added up, without the others. The engine lets it go on when
   * nobody reads its answer any more, so it ends by itself.
   */
  metrics: {
    argv: [
      'sh',
      '-c',
      `{ timeout ${metricsMs / 1_000 + 1} ${ask('/metrics').join(' ')} && echo '# end'; } | awk '${addUp}'`,
    ],
    limitMs: metricsMs,
    // A thousand hosts with answers of all classes have some 10 MiB.
    mostBytes: 32 * 1024 * 1024,
  },
  drain: { argv: ['touch', draining], limitMs: 10_000 },
  undrain: { argv: ['rm', '-f', draining], limitMs: 10_000 },
} as const satisfies Readonly<Record<string, Command>>

/** The command that serves Caddy as the main program of its container. */
export const serve = { entrypoint: ['caddy'], command: ['run', '--config', files.current] } as const

/** How long Caddy may take after its start until its administration listens. */
export const startMs = 10_000
