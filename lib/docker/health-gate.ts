import { label } from '../state/labels.ts'
import { type Inspected, lastOutput } from './inspect.ts'

/** What a look at a container says about its health gate. */
export type Verdict = 'passed' | 'waiting' | 'unhealthy' | 'exited'

/** How long ago the first look was answered, and what it showed. */
export type Watch = { readonly first: Inspected; readonly forMs: number; readonly healthyMs: number }

/**
 * Whether a container passes its health gate (G12). With a health check the check decides, and a restart on the way
 * there is no failure; without one the container must run `healthyMs` without a restart.
 */
export function verdict(now: Inspected, { first, forMs, healthyMs }: Watch): Verdict {
  const { Status, Health } = now.State
  const checked = Health != null && Health.Status !== 'none'
  if (Status === 'restarting') return checked ? 'waiting' : 'exited'
  if (Status !== 'running') return 'exited'
  if (checked) return verdictOf(Health.Status)
  if (now.State.StartedAt !== first.State.StartedAt || now.RestartCount !== first.RestartCount)
    return 'exited'
  return forMs >= healthyMs ? 'passed' : 'waiting'
}

/**
 * What a sandbox's probes gave a container up for, in words. Its health check reports it with the line
 * `restart <container> <unix seconds> <kind>: <words>`, and is not healthy meanwhile.
 */
export function givenUp(now: Inspected): string | undefined {
  if (now.Config.Labels?.[label.role] !== 'sandbox' || now.State.Health?.Status === 'healthy')
    return undefined
  const report = /^restart (\S+) \d+ (\S+): (.*)$/m.exec(lastOutput(now))
  if (report === null) return undefined
  const [, container, kind, words] = report
  return `${container}: ${kind} probe fails: ${words}`
}

function verdictOf(health: string): Verdict {
  switch (health) {
    case 'healthy':
      return 'passed'
    case 'unhealthy':
      return 'unhealthy'
    default:
      return 'waiting'
  }
}
