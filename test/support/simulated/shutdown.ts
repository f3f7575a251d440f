import { setImmediate as turn } from 'node:timers/promises'
import { type Container, type Daemon, isUp } from './container/container.ts'
import { bringUp } from './container/start.ts'

/** Ends all containers, as an engine does that shuts down. What does not end on SIGTERM is killed without delay. */
export async function shutDown(daemon: Daemon): Promise<void> {
  const all = [...daemon.containers.values()]
  const before = all.map(container => [container, container.isStoppedByHand] as const)
  for (const container of all) {
    // Nothing is restarted now, whatever its policy says.
    container.isStoppedByHand = true
    container.cancelRestart()
    if (container.state.status === 'restarting') container.state = { ...container.state, status: 'exited' }
    container.process?.goOn()
    container.process?.term()
  }
  await turn()
  await turn()
  for (const { process } of all) process?.kill()
  for (const [container, isStoppedByHand] of before) container.isStoppedByHand = isStoppedByHand
}

/** Starts the containers that an engine starts when it comes up. */
export function startAgain(daemon: Daemon): void {
  for (const container of daemon.containers.values())
    if (!isUp(container) && isWanted(container)) bringUp(daemon, container)
}

function isWanted({ hostConfig, starts, isStoppedByHand, state }: Container): boolean {
  if (starts === 0) return false
  switch (hostConfig.RestartPolicy.Name) {
    case 'always':
      return true
    case 'unless-stopped':
      return !isStoppedByHand
    case 'on-failure':
      return !isStoppedByHand && state.exitCode !== 0
    default:
      return false
  }
}
