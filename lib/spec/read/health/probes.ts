import type { Healthcheck, Container as Model } from '../../../state/application/container/container.ts'
import type { Parsed } from '../../../state/parsed.ts'
import { malformed, parsed } from '../../../state/parsed.ts'
import type { Container, Probe as Written } from '../../application.gen.ts'
import { parseDuration } from '../../grammar/duration.ts'
import { parseHostname } from '../../grammar/host.ts'
import type { CommandAction, NetworkAction, Probe, ProbeAction, ProbeKind } from '../../probes/probe.ts'
import { type CommandProbe, type NetworkProbes, probeKinds } from '../../probes/probe.ts'
import type { Spot } from '../../spot.ts'

export type Probes = { readonly network: NetworkProbes; readonly command?: CommandProbe }

/** Whether the sandbox has a probe to perform for the container. */
export function hasNetworkProbe({ probes = {} }: Container): boolean {
  return probeKinds.some(kind => probes[kind]?.http !== undefined || probes[kind]?.tcp !== undefined)
}

/**
 * Reads `probes` of a container (A44). The sandbox performs `http` and `tcp`. At most one `command` becomes the
 * container's own health check. A startup probe holds the others back, so all of them have to be performed in the same
 * place.
 */
export function readProbes(written: Container, spot: Spot): Probes {
  const probes = written.probes ?? {}
  const network: { [Kind in ProbeKind]?: Probe<NetworkAction> } = {}
  const commands: CommandProbe[] = []
  for (const kind of probeKinds) {
    const one = probes[kind]
    const probe = one === undefined ? undefined : readProbe(one, kind, spot.at(kind))
    if (probe === undefined) continue
    const { action } = probe
    if (action.kind === 'command') commands.push({ kind, probe: { ...probe, action } })
    else network[kind] = { ...probe, action }
  }
  const [command, second] = commands
  if (command === undefined) return { network }
  if (second !== undefined)
    spot.at(second.kind).fault('is a second command; an engine has one health check for a container')
  else if (Object.keys(network).length > 0 && (command.kind === 'startup' || network.startup !== undefined))
    spot
      .at('startup')
      .fault('cannot hold the others back: a command runs in the container, and http and tcp beside it')
  if (written.healthcheck !== undefined)
    spot.at(command.kind).fault('is a command and stands beside "healthcheck"; keep one of them')
  return { network, command }
}

/**
 * Returns a command probe as the container's own health check. Until the container is ready for the first time, no
 * failure counts.
 */
export function healthcheckOf(
  { kind, probe }: CommandProbe,
  timeoutMs: number,
): Pick<Model, 'healthcheck' | 'liveness'> {
  const startPeriodMs = kind === 'readiness' ? timeoutMs : probe.delay * 1000
  const healthcheck: Healthcheck = {
    kind: 'command',
    test: ['CMD', ...probe.action.words],
    intervalMs: probe.period * 1000,
    timeoutMs: probe.timeout * 1000,
    ...(startPeriodMs === 0 ? {} : { startPeriodMs }),
    retries: probe.failures,
  }
  return { healthcheck, ...(kind === 'readiness' ? {} : { liveness: 'command' }) }
}

const actions = ['http', 'tcp', 'command'] as const

function readProbe(written: Written, kind: ProbeKind, spot: Spot): Probe | undefined {
  const given = actions.filter(action => written[action] !== undefined)
  if (given.length !== 1) spot.fault(`needs exactly one of ${actions.join(', ')}`)
  const successes = written['success-threshold'] ?? 1
  if (successes > 1 && kind !== 'readiness')
    spot.at('success-threshold').fault('is more than 1, which is for readiness')
  else if (successes > 1 && written.command !== undefined)
    spot.at('success-threshold').fault('is more than 1, which an engine cannot count for a command')
  const action = readAction(written, spot)
  const period = readSeconds(written.period ?? '10s', 1, spot.at('period'))
  const timeout = readSeconds(written.timeout ?? '1s', 1, spot.at('timeout'))
  const delay = readSeconds(written['initial-delay'] ?? '0', 0, spot.at('initial-delay'))
  if (action === undefined || period === undefined || timeout === undefined || delay === undefined)
    return undefined
  return { action, period, timeout, failures: written['failure-threshold'] ?? 3, successes, delay }
}

function readAction(written: Written, spot: Spot): ProbeAction | undefined {
  const { http, tcp, command } = written
  if (http !== undefined) {
    const path = spot.at('http', 'path').take(parseTarget(http.path ?? '/'))
    const host = spot.at('http', 'host').take(parseHost(http.host ?? 'localhost'))
    if (path === undefined || host === undefined) return undefined
    return { kind: 'http', scheme: http.scheme ?? 'http', port: http.port, path, host }
  }
  if (tcp !== undefined) return { kind: 'tcp', port: tcp.port }
  return command === undefined ? undefined : readCommand(command, spot.at('command'))
}

function readCommand(words: readonly string[], spot: Spot): CommandAction {
  if (words[0] === '') spot.fault('has no command')
  return { kind: 'command', words }
}

/** Parses a target of a request line: it has no blank, and nothing that ends the line. */
function parseTarget(text: string): Parsed<string> {
  return /^\/[!-~]*$/.test(text)
    ? parsed(text)
    : malformed(
        'is no path of a request; it begins with a slash and has no blanks, others are written as %20',
      )
}

function parseHost(text: string): Parsed<string> {
  const [name = '', port] = text.split(':', 2)
  const host = parseHostname(name)
  if (!host.ok) return host
  return port === undefined || /^\d{1,5}$/.test(port) ? parsed(text) : malformed(`"${text}" is no host name`)
}

function readSeconds(text: string, least: number, spot: Spot): number | undefined {
  const ms = spot.take(parseDuration(text))
  if (ms === undefined) return undefined
  const seconds = ms / 1000
  if (Number.isInteger(seconds) && seconds >= least && seconds <= longest) return seconds
  spot.fault(`is not a whole number of seconds from ${least} to ${longest}`)
  return undefined
}

/** One day. A longer period makes no sense. */
const longest = 86_400
