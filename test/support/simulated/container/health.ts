import { script } from '../shell/shell.ts'
import { surroundingsOf } from '../surroundings.ts'
import { type Container, type Daemon, isUp, tell } from './container.ts'
import { programNamed } from './image-programs.ts'
import { type Program, runAtOnce } from './process.ts'

const usualIntervalMs = 30_000
const usualRetries = 3
const keptChecks = 5

/** Begins to check the health of a container that was started, if it has a health check. */
export function beginChecks(daemon: Daemon, container: Container): void {
  if (checkOf(container) === undefined) return
  container.health = { status: 'starting', failures: 0, log: [] }
  next(daemon, container)
}

/** Ends the checks. The engine shows a container that has ended as unhealthy. */
export function endChecks(container: Container): void {
  container.cancelCheck()
  if (container.health !== undefined) container.health = { ...container.health, status: 'unhealthy' }
}

function next(daemon: Daemon, container: Container): void {
  const { Interval = 0 } = container.config.Healthcheck ?? {}
  const intervalMs = Interval === 0 ? usualIntervalMs : Interval / 1e6
  container.cancelCheck = daemon.clock.after(intervalMs, () => {
    if (!isUp(container)) return
    if (container.state.status === 'running') look(daemon, container)
    next(daemon, container)
  })
}

/** Makes one check, and judges it as the engine does. */
function look(daemon: Daemon, container: Container): void {
  const program = checkOf(container)
  const { health: before, state } = container
  if (program === undefined || before === undefined) return
  const { StartPeriod = 0, Retries = 0 } = container.config.Healthcheck ?? {}
  const start = daemon.now()
  const { exitCode, output } = runAtOnce(program, surroundingsOf(daemon, container))
  const end = daemon.now()
  const log = [...before.log, { start, end, exitCode, output }].slice(-keptChecks)
  const isStarting = start.ms - (state.startedAt?.ms ?? 0) < StartPeriod / 1e6 && before.status === 'starting'
  const failures = exitCode === 0 ? 0 : before.failures + (isStarting ? 0 : 1)
  const status =
    exitCode === 0 ? 'healthy' : failures >= (Retries || usualRetries) ? 'unhealthy' : before.status
  container.health = { status, failures, log }
  if (status !== before.status) tell(daemon, container, `health_status: ${status}`)
}

/** Returns the program of the health check; undefined if there is none. */
function checkOf({ config: { Healthcheck }, image }: Container): Program | undefined {
  const [kind = 'NONE', ...command] = Healthcheck?.Test ?? []
  if (kind === 'NONE') return undefined
  if (image.behaves.check !== undefined) return image.behaves.check
  return kind === 'CMD-SHELL'
    ? script(command[0] ?? '')
    : (programNamed(image, command) ?? notFound(command[0] ?? ''))
}

/** Returns what the engine says of a command that is not in the container. */
export function notFound(name: string): Program {
  return function* () {
    yield {
      says: `OCI runtime exec failed: exec failed: unable to start container process: ${notFoundWords(name)}: unknown`,
    }
    return 126
  }
}

/** Returns how the container runtime words it. */
export function notFoundWords(name: string): string {
  return name.includes('/')
    ? `exec: "${name}": stat ${name}: no such file or directory`
    : `exec: "${name}": executable file not found in $PATH`
}
