import { posix } from 'node:path'
import { optional } from '../../../object.ts'
import type { Container, Mount } from '../../../state/application/container/container.ts'
import { lentShell, lentState } from '../../../state/application/container/lent-shell.ts'
import { isWithin } from '../../../text/in-directory.ts'
import type { PodPlace } from '../place.ts'
import type { App } from '../pod.gen.ts'

/** What a container has because programs run around its main one. */
export type WithHandlers = Pick<Container, 'handlers' | 'healthcheck'>

/** The directory in which the shell is put that runs them. It is there also if the file system is read-only. */
export const shellMount: Mount = { kind: 'files', path: posix.dirname(lentShell) }

/**
 * Reads what runs before and after the main program, whose command has to be known then (C13). The health check says
 * when the main program has run for long enough, so that a release is not healthy while the first one still runs.
 */
export function readHandlers(
  { exec: main, eventHandlers: written = [] }: Pick<App, 'exec' | 'eventHandlers'>,
  healthyMs: number,
  { unrunnable, isLeftOut }: PodPlace,
): WithHandlers {
  if (written.length === 0) return {}
  const place = unrunnable.at('eventHandlers')
  const programs = written.map(({ name, exec = [] }, index) => {
    if (!isProgram(exec)) place.at(index).fault('has no "exec", so there is nothing to run')
    return { name, exec }
  })
  if (!isProgram(main ?? []) && !isLeftOut('exec'))
    place.fault('stand in an app without "exec", and what its image runs is not known here')
  const named = (name: string) => programs.find(one => one.name === name)?.exec
  return {
    handlers: { ...optional('preStart', named('pre-start')), ...optional('postStop', named('post-stop')) },
    healthcheck: {
      kind: 'command',
      test: ['CMD', lentShell, 'sh', '-c', isUpScript(Math.ceil(healthyMs / 1000))],
      intervalMs: 2_000,
      timeoutMs: 10_000,
      retries: 3,
      startPeriodMs: longestStartMs,
    },
  }
}

/** For so long, a main program that is not up yet is no failure. The gate of a rollout ends sooner. */
const longestStartMs = 3_600_000

/** Notes a fault for a mount that would hide the shell. */
export function faultHidingShell(mounts: readonly Mount[], { unrunnable }: PodPlace): void {
  for (const { path } of mounts)
    if (isWithin(path, shellMount.path))
      unrunnable.fault(`mounts ${path}, where tallyman puts the shell that runs event handlers`)
}

function isProgram([program = '']: readonly string[]): boolean {
  return program !== ''
}

/** Succeeds once the main program runs for so many seconds. */
function isUpScript(seconds: number): string {
  return `read -r since <${lentState} && read -r now _ </proc/uptime && [ $((\${now%%.*} - since)) -ge ${seconds} ]`
}
