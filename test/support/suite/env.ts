import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { removeImagesOf } from '../engine/clean-up.ts'
import { engineAnswers } from '../engine/engine-call.ts'
import { type Registry, type RegistryAddress, startRegistry } from '../images/registry.ts'

/** What `npm test` tells the tests about the machine it started. */
export const socketVariable = 'TALLYMAN_TEST_SOCKET'
export const registryVariable = 'TALLYMAN_TEST_REGISTRY'
export const launcherVariable = 'TALLYMAN_TEST_LAUNCHER'
export const victimVariable = 'TALLYMAN_TEST_VICTIM'
const diskVariable = 'TALLYMAN_TEST_DISK'

/** What integration tests run on. Tests that disturb a registry start one of their own: `startRegistry()`. */
export type TestMachine = { readonly dockerSocket: string; readonly registry: RegistryAddress }

/** The one thing here that is remembered: a registry started for this process, to be stopped at its end. */
const mine: { registry?: Promise<Registry> } = {}

/**
 * The engine and the registry that `npm test` started. When mocha is run by hand: the engine that runs already,
 * and a registry that is started at the first call and stopped with the process.
 */
export async function testMachine(): Promise<TestMachine> {
  const dockerSocket = runningSocket()
  const host = process.env[registryVariable]
  if (host !== undefined) return { dockerSocket, registry: { host, url: `http://${host}` } }
  if (!(await engineAnswers(dockerSocket))) {
    throw new Error(`no engine answers on ${dockerSocket}; "npm test" starts one`)
  }
  mine.registry ??= startRegistry()
  return { dockerSocket, registry: await mine.registry }
}

/** Stops what `testMachine` started in this process and removes the images pulled from it. */
export async function giveBackMachine(): Promise<void> {
  if (mine.registry === undefined) return
  const registry = await mine.registry
  delete mine.registry
  await removeImagesOf(runningSocket(), registry.host)
  await registry.stop()
}

/** A name for an environment, a repository or an image that no other test uses. */
export function uniqueName(prefix = 't'): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`
}

/** The socket in the variable of `npm test`, in DOCKER_HOST, or the usual one. */
export function runningSocket(): string {
  const unix = 'unix://'
  const host = process.env['DOCKER_HOST']
  const given = host?.startsWith(unix) ? host.slice(unix.length) : undefined
  return process.env[socketVariable] ?? given ?? '/var/run/docker.sock'
}

/** Where large files go for a while: on the disk, also where the usual place is in memory. */
export function directoryOnDisk(): string {
  return process.env[diskVariable] ?? tmpdir()
}

/** The variables for processes whose temporary files are in this directory, except for large ones. */
export function temporaryIn(directory: string): Readonly<Record<string, string>> {
  return { TMPDIR: directory, [diskVariable]: directoryOnDisk() }
}
