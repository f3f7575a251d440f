import { drainingFile, files } from './files.ts'

/** A program to run in the container of the ingress, and how long it may take. */
export type Command = { readonly argv: readonly string[]; readonly limitMs: number }

/**
 * Where Caddy's administration listens: only inside the container, because whoever reaches it may change everything.
 * Everything that is asked of it is therefore asked by a program in the container.
 */
export const adminAddress = 'localhost:2019'

const ask = (path: string) => ['wget', '-q', '-O', '-', `http://127.0.0.1:2019${path}`]
const draining = `${drainingFile.directory}/${drainingFile.name}`

/** Everything that is ever run in the container of the ingress. */
export const commands = {
  reload: { argv: ['caddy', 'reload', '--config', files.next], limitMs: 60_000 },
  version: { argv: ['caddy', 'version'], limitMs: 10_000 },
  /** Answers with the id of the loaded configuration, which `loadedMarkIn` reads. */
  loaded: { argv: ask('/config/@id'), limitMs: 5_000 },
  /** Answers with the requests under way, which `requestsUnderWay` reads. */
  underWay: { argv: ask('/reverse_proxy/upstreams'), limitMs: 10_000 },
  /** Answers with the metrics that `requestFigures` reads, without the others. */
  metrics: {
    argv: [
      'sh',
      '-c',
      `all=$(${ask('/metrics').join(' ')}) || exit
printf '%s\\n' "$all" | grep -E '^caddy_http_request(s_total|_errors_total|_duration_seconds)' || true`,
    ],
    limitMs: 10_000,
  },
  drain: { argv: ['touch', draining], limitMs: 10_000 },
  undrain: { argv: ['rm', '-f', draining], limitMs: 10_000 },
} as const satisfies Readonly<Record<string, Command>>

/** The command that serves Caddy as the main program of its container. */
export const serve = { entrypoint: ['caddy'], command: ['run', '--config', files.current] } as const

/** How long Caddy may take after its start until its administration listens. */
export const startMs = 10_000
