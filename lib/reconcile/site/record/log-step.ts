import type { Log } from '../../../log.ts'
import type { StepEvent } from '../../../state/pass/step-event.ts'

/** The pass that a step belongs to. */
type Within = { readonly pass: number | undefined; readonly environment: string; readonly site: string }

/** Tells the log of the process how a step ended, or what it noted while it ran. That it began is not told. */
export function logStep(
  log: Log,
  { application, service, step, stage, phase, durationMs, error: reason, note }: StepEvent,
  { pass, environment, site }: Within,
): void {
  if (phase === 'started') return
  const fields = { pass, environment, site, application, service, stage, durationMs }
  if (note !== undefined) log.info(`${step}: ${note}`, { pass, site, application, service })
  else if (reason === undefined) log.debug(`${step} ${phase}`, fields)
  else log.warn(`${step} ${phase}`, { ...fields, code: reason.code, reason: reason.message })
}
