import { conflict, Refusal } from '../server/refusal.ts'
import { type Container, type Daemon, isUp, tell } from './container.ts'
import { start } from './start.ts'

const usualGraceSeconds = 10

/** Stops a container, and kills it after its grace period. Resolves to false if it does not run. */
export async function stop(daemon: Daemon, container: Container, graceSeconds?: number): Promise<boolean> {
  if (container.state.status === 'restarting') {
    cancelRestart(container)
    tell(daemon, container, 'stop')
    return true
  }
  if (!isUp(container)) return false
  await endIt(daemon, container, graceSeconds)
  tell(daemon, container, 'stop')
  return true
}

/** Stops a container, if it runs, and starts it again. */
export async function restart(daemon: Daemon, container: Container, graceSeconds?: number): Promise<void> {
  await stop(daemon, container, graceSeconds)
  start(daemon, container)
  tell(daemon, container, 'restart')
}

async function endIt(daemon: Daemon, container: Container, graceSeconds?: number): Promise<void> {
  const ended = endOf(container)
  const seconds = graceSeconds ?? container.config.StopTimeout ?? usualGraceSeconds
  signal(daemon, container, stopSignalOf(container))
  const cancel = daemon.clock.after(seconds * 1000, () => signal(daemon, container, 'KILL'))
  await ended
  cancel()
}

/** Sends a signal to a container that runs. The engine does not restart what somebody has sent one. */
export function kill(daemon: Daemon, container: Container, name: string, as = container.id): void {
  if (!isUp(container) && container.state.status !== 'restarting')
    throw conflict(`Cannot kill container: ${as}: Container ${container.id} is not running`)
  signal(daemon, container, name)
}

/** Ends a container at once, whatever it does, as its removal by force does. */
export function killNow(daemon: Daemon, container: Container): void {
  if (container.state.status === 'restarting') cancelRestart(container)
  else if (isUp(container)) signal(daemon, container, 'KILL')
}

function signal(daemon: Daemon, container: Container, given: string): void {
  const name = given.replace(/^SIG/, '').toUpperCase()
  container.isStoppedByHand = true
  tell(daemon, container, 'kill', { signal: String(numbers[name] ?? name) })
  // A paused process sees a signal once it goes on.
  if (container.state.status === 'paused') unpause(daemon, container)
  if (name === 'KILL' || name === '9') container.process?.kill()
  else container.process?.term()
}

const numbers: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, TERM: 15 }

function stopSignalOf({ config }: Container): string {
  return config.StopSignal ?? 'TERM'
}

function cancelRestart(container: Container): void {
  container.cancelRestart()
  container.isStoppedByHand = true
  container.state = { ...container.state, status: 'exited' }
}

/** Resolves once a container no longer runs. */
export function endOf(container: Container): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onEnd = () => {
    container.onEnd.delete(onEnd)
    resolve()
  }
  container.onEnd.add(onEnd)
  return promise
}

export function pause(daemon: Daemon, container: Container): void {
  if (container.state.status === 'paused') throw conflict(`Container ${container.id} is already paused`)
  if (container.state.status !== 'running') throw conflict(`Container ${container.id} is not running`)
  container.process?.pause()
  container.state = { ...container.state, status: 'paused' }
  tell(daemon, container, 'pause')
}

export function unpause(daemon: Daemon, container: Container): void {
  if (container.state.status !== 'paused') throw new Refusal(500, `Container ${container.id} is not paused`)
  container.state = { ...container.state, status: 'running' }
  container.process?.goOn()
  tell(daemon, container, 'unpause')
}
