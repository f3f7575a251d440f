import { textAt } from '../image/archive.ts'
import { takePorts } from '../network/ports.ts'
import { conflict, missing, Refusal } from '../server/refusal.ts'
import { script } from '../shell/shell.ts'
import { surroundingsOf } from '../surroundings.ts'
import { attachAll, detachAll } from './attach.ts'
import { type Container, type Daemon, findContainer, isUp, tell } from './container.ts'
import { beginChecks, endChecks, notFoundWords } from './health.ts'
import { programNamed } from './image-programs.ts'
import { type Program, startProcess } from './process.ts'

const firstPauseMs = 100
const longestPauseMs = 60_000
/** After a run of this length the pauses before restarts begin anew. */
const longRunMs = 10_000

/** Starts a container as somebody asks for it. Returns false if it runs already. */
export function start(daemon: Daemon, container: Container): boolean {
  const { status } = container.state
  if (status === 'paused') throw conflict('cannot start a paused container, try unpause instead')
  if (status === 'running' || status === 'restarting') return false
  container.restarts = 0
  container.isStoppedByHand = false
  run(daemon, container, firstPauseMs)
  return true
}

/** Brings a container up. Throws what keeps it from running, and remembers that in its state. */
function run(daemon: Daemon, container: Container, pauseMs: number): void {
  try {
    const program = programIn(container)
    mayJoin(daemon, container)
    attachAll(daemon, container)
    takeItsPorts(daemon, container)
    if (program === undefined) throw cannotRun(container)
    container.starts += 1
    container.state = {
      status: 'running',
      exitCode: 0,
      error: '',
      startedAt: daemon.now(),
      finishedAt: container.state.finishedAt,
    }
    container.process = startProcess({
      program,
      around: surroundingsOf(daemon, container),
      clock: daemon.clock,
      isFirst: container.hostConfig.PidMode === '',
      says: (text, stream) => container.log.push({ at: daemon.now(), stream, text }),
      ended: exitCode => end(daemon, container, exitCode, pauseMs),
    })
    beginChecks(daemon, container)
    tell(daemon, container, 'start')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    release(daemon, container)
    const exitCode = error.status === 400 ? 127 : 128
    const { startedAt, finishedAt, status } = container.state
    container.state = {
      ...{ exitCode, error: error.message, startedAt, finishedAt },
      status: status === 'created' ? 'created' : 'exited',
    }
    throw error
  }
}

/** Returns what a container runs: what its image does, unless it was given another command. */
function programIn(container: Container): Program | undefined {
  const { config, image } = container
  const isOfImage = config.Cmd === image.config.Cmd && config.Entrypoint === image.config.Entrypoint
  if (image.behaves.runs !== undefined && isOfImage) return image.behaves.runs
  const command = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])]
  const [name = '', ...args] = command
  const file = textAt(container, name)
  return programNamed(image, command) ?? (file === undefined ? undefined : script(file, args))
}

function cannotRun({ config }: Container): Refusal {
  const [name = ''] = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])]
  return new Refusal(
    400,
    `failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${notFoundWords(name)}: unknown`,
  )
}

/** Checks that the container whose network it shares is there and runs. */
function mayJoin(daemon: Daemon, { hostConfig }: Container): void {
  const modes = [hostConfig.NetworkMode, hostConfig.IpcMode, hostConfig.PidMode]
  for (const mode of modes.filter(one => one.startsWith('container:'))) {
    const id = mode.slice('container:'.length)
    const other = findContainer(daemon, id)
    if (other === undefined) throw missing(`No such container: ${id}`)
    if (!isUp(other)) throw conflict(`cannot join network of a non running container: ${other.id}`)
    if (mode === hostConfig.IpcMode && other.hostConfig.IpcMode === 'private')
      throw new Refusal(
        500,
        `can't join IPC of container ${other.id}: non-shareable IPC (hint: use IpcMode:shareable for the donor container)`,
      )
  }
}

function takeItsPorts(daemon: Daemon, container: Container): void {
  const [endpoint] = container.endpoints.values()
  const { endpointId = '' } = endpoint?.network?.members.get(container.id) ?? {}
  container.ports = takePorts(daemon, container, endpointId)
}

function release(daemon: Daemon, container: Container): void {
  container.process = undefined
  container.ports = []
  detachAll(daemon, container)
}

/** What follows the end of a container's first process. */
function end(daemon: Daemon, container: Container, exitCode: number, pauseMs: number): void {
  endChecks(container)
  const { startedAt } = container.state
  const finishedAt = daemon.now()
  const isRestarted = restarts(container, exitCode)
  container.state = {
    status: isRestarted ? 'restarting' : 'exited',
    exitCode,
    error: '',
    startedAt,
    finishedAt,
  }
  tell(daemon, container, 'die', { exitCode: String(exitCode) })
  release(daemon, container)
  if (isRestarted) {
    container.restarts += 1
    const isLong = finishedAt.ms - (startedAt?.ms ?? 0) > longRunMs
    restartLater(daemon, container, isLong ? firstPauseMs : pauseMs)
  }
  endMembers(daemon, container)
  for (const onEnd of container.onEnd) onEnd()
}

function restartLater(daemon: Daemon, container: Container, pauseMs: number): void {
  container.cancelRestart = daemon.clock.after(pauseMs, () => {
    bringUp(daemon, container, Math.min(2 * pauseMs, longestPauseMs))
  })
}

/** Starts a container as the engine does by itself. If it cannot be started, only its state says why. */
export function bringUp(daemon: Daemon, container: Container, pauseMs: number = firstPauseMs): void {
  try {
    run(daemon, container, pauseMs)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

function restarts(
  { hostConfig: { RestartPolicy }, restarts, isStoppedByHand }: Container,
  exitCode: number,
): boolean {
  if (isStoppedByHand) return false
  switch (RestartPolicy.Name) {
    case 'always':
    case 'unless-stopped':
      return true
    case 'on-failure':
      return (
        exitCode !== 0 &&
        (RestartPolicy.MaximumRetryCount === 0 || restarts < RestartPolicy.MaximumRetryCount)
      )
    default:
      return false
  }
}

/** With the first process of a sandbox all processes end that share its processes. */
function endMembers(daemon: Daemon, { id }: Container): void {
  for (const other of daemon.containers.values())
    if (other.hostConfig.PidMode === `container:${id}`) other.process?.kill()
}
