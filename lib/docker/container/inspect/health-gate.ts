import { label, labelOf } from '../../../state/labels.ts'
import { type Inspected, lastOutput } from './inspect.ts'

/** What a look at a container says about its health gate. */
export type HealthVerdict = 'passed' | 'waiting' | 'unhealthy' | 'exited'

/** How long ago the first look was answered, and what it showed. */
export type Watch = { readonly first: Inspected; readonly forMs: number; readonly healthyMs: number }

/** With a health check, a process may exit twice, because some processes exit to wait for a database. */
const mostEnds = 2

/**
 * Returns whether a container passes its health gate (G12). With a health check the check decides, and two restarts are
 * no failure. Without one the container has to run for `healthyMs` without a restart. If the engine does not restart a
 * container, it has failed, whatever its exit code is. One that may end passes when it ends with 0, and two restarts are no
 * failure of it either (X5).
 */
export function verdict(now: Inspected, { first, forMs, healthyMs }: Watch): HealthVerdict {
  const { Status, Health } = now.State
  const checked = Health != null && Health.Status !== 'none'
  if (restartsIn(now, first) + (Status === 'restarting' ? 1 : 0) > mostEnds) return 'exited'
  const ends = mayEnd(now)
  if (Status === 'restarting') return checked || ends ? 'waiting' : 'exited'
  if (ends && Status === 'exited' && now.State.ExitCode === 0) return 'passed'
  if (Status !== 'running') return 'exited'
  if (checked) return verdictOf(Health.Status)
  if (restartsIn(now, first) > 0 && !ends) return 'exited'
  return forMs >= healthyMs ? 'passed' : 'waiting'
}

function mayEnd({ Config }: Inspected): boolean {
  return labelOf(Config.Labels, label.restart) !== undefined
}

/**
 * Whether somebody started it anew since the first look, as an engine does with all of its containers when it is
 * restarted. That is no failure of the container, and it is watched from the beginning.
 */
export function wasStartedAnew(now: Inspected, first: Inspected): boolean {
  return now.State.StartedAt !== first.State.StartedAt && now.RestartCount <= first.RestartCount
}

/** Returns how often the engine has restarted it since the first look. */
export function restartsIn(now: Inspected, first: Inspected): number {
  return now.RestartCount - first.RestartCount
}

/**
 * Returns why a sandbox's probes gave up a container, in words. The sandbox's health check reports it with the line
 * `restart <container> <unix seconds> <kind>: <words>`, and is unhealthy meanwhile.
 */
export function givenUp(now: Inspected): string | undefined {
  if (labelOf(now.Config.Labels, label.role) !== 'sandbox' || now.State.Health?.Status === 'healthy')
    return undefined
  const report = /^restart (\S+) \d+ (\S+): (.*)$/m.exec(lastOutput(now))
  if (report === null) return undefined
  const [, container, kind, words] = report
  return `${container}: ${kind} probe fails: ${words}`
}

function verdictOf(health: string): HealthVerdict {
  switch (health) {
    case 'healthy':
      return 'passed'
    case 'unhealthy':
      return 'unhealthy'
    default:
      return 'waiting'
  }
}
