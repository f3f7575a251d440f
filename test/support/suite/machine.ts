import { removeImagesOf } from '../engine/clean-up.ts'
import { startEngine } from '../engine/dockerd.ts'
import { engineAnswers, engineGet } from '../engine/engine-call.ts'
import { type Registry, startRegistry } from '../images/registry.ts'
import { runningSocket } from './env.ts'
import { needPrograms } from './programs.ts'

/** What tests, demo and bench run on. Disposing of it stops what was started for it, and nothing else. */
export type Machine = AsyncDisposable & {
  readonly dockerSocket: string
  readonly registry: Registry
  /** One line for people: what was there and what was started. */
  readonly description: string
}

const served = ['registry', 'git', 'busybox', 'caddy', 'sshd', 'sshKeygen', 'gpg', 'gpgAgent'] as const

/**
 * Installs what an engine of our own needs, if one has to be started here; what only root can do, `startMachine` says.
 * Returns whether that is so.
 */
export async function prepareEngine(): Promise<boolean> {
  const socket = runningSocket()
  if (socket !== usualSocket || process.getuid?.() !== 0 || (await engineAnswers(socket))) return false
  await needPrograms([...served, 'dockerd', 'iptables', 'ip'])
  // Where services are started on installation, the package has just done it.
  return !(await engineAnswers(socket))
}

/**
 * Brings up what is missing: the programs, a Docker Engine unless one runs, and a registry.
 * Throws, saying what is missing and how to install it, where it can do neither.
 */
export async function startMachine(): Promise<Machine> {
  const dockerSocket = runningSocket()
  await needPrograms(served)
  await using stack = new AsyncDisposableStack()
  const started = await bringUpEngine(dockerSocket, stack)
  const registry = stack.use(await startRegistry())
  // An engine that was started here ends with all it has.
  if (!started) stack.defer(() => removeImagesOf(dockerSocket, registry.host))

  const parts = stack.move()
  return {
    dockerSocket,
    registry,
    description: `Docker Engine ${await versionOf(dockerSocket)} on ${dockerSocket} (${started ? 'started' : 'runs already'}), registry on ${registry.host} (started)`,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

async function versionOf(socket: string): Promise<string> {
  return String(Object(await engineGet(socket, '/version')).Version)
}

const usualSocket = '/var/run/docker.sock'

/** Says whether an engine had to be started. */
async function bringUpEngine(socket: string, stack: AsyncDisposableStack): Promise<boolean> {
  if (await engineAnswers(socket)) return false
  // A second engine with the usual settings would take the first one's network rules away.
  if (socket !== usualSocket)
    throw new Error(`no Docker Engine answers on ${socket}, which DOCKER_HOST names`)
  await needPrograms(['dockerd', 'iptables'])
  // Where services are started on installation, the package has just done it.
  if (await engineAnswers(socket)) return false
  if (process.getuid?.() !== 0) {
    throw new Error(
      `Needed: a Docker Engine: none answers on ${socket} for this user, and only root can start one. Start it, or set DOCKER_HOST=unix://….`,
    )
  }
  stack.use(await startEngine(socket))
  return true
}
