import { timeOfDayMs } from '../clock.ts'
import { createClient } from './client.ts'
import { exitCode, exitCodeOfPass } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import { type Approved, follow } from './follow.ts'
import { oneEnvironment } from './one-environment.ts'
import { type Output, reportErrors } from './output.ts'
import { controlSocketOf } from './state-dir.ts'
import { parseTime } from './time.ts'

type Message = { readonly message?: string }
type OnApplication = { readonly application?: string }

/** Approves a waiting plan. With `--wait` follows it to its end, and exits as `apply` does. */
export async function approve(
  output: Output,
  flags: CommonFlags & Message & { readonly wait?: boolean },
  id = '',
): Promise<number> {
  const path = `/api/v1/plans/${encodeURIComponent(id)}/approve`
  const approved = (await post(flags, path, { message: flags.message })) as Approved
  const { removalsLeft: left = 0 } = approved
  const removals = `${left === 1 ? 'One removal waits' : `${left} removals wait`} for a confirmation of its own.`
  const text = `Approved plan ${id}.${left > 0 ? ` ${removals}` : ''}`
  if (flags.wait !== true) {
    say(output, approved, text)
    return exitCode.done
  }
  output.note(text)
  const ended = await follow(createClient(controlSocketOf(flags)), output, approved)
  const { outcome, passId, errors, waiting } = ended
  say(output, { ...approved, ...ended }, `${outcome}${passId === undefined ? '' : ` (pass ${passId})`}`)
  reportErrors(output, errors)
  const code = exitCodeOfPass(outcome, errors)
  return code === exitCode.done && waiting > 0 ? exitCode.confirmationNeeded : code
}

/** Discards a waiting plan. */
export async function discard(output: Output, flags: CommonFlags & Message, id = ''): Promise<number> {
  say(
    output,
    await post(flags, `/api/v1/plans/${encodeURIComponent(id)}/discard`, { message: flags.message }),
    `Discarded plan ${id}.`,
  )
  return exitCode.done
}

/** Asks the daemon for a pass now. */
export async function reconcile(output: Output, flags: CommonFlags): Promise<number> {
  say(output, await post(flags, '/api/v1/reconcile', {}), 'A new pass starts now.')
  return exitCode.done
}

/** Suspends an environment, or one application of it. */
export async function suspend(
  output: Output,
  flags: CommonFlags &
    OnApplication & { readonly reason: string; readonly until?: string; readonly replace?: boolean },
): Promise<number> {
  const { application, reason, until, replace } = flags
  const untilMs = until === undefined ? undefined : parseTime(until, timeOfDayMs(), 'ahead')
  const answer = await post(flags, '/api/v1/suspend', { application, reason, untilMs, replace })
  const { replaced } = answer as { readonly replaced?: { readonly who: string; readonly reason: string } }
  const instead =
    replaced === undefined ? '' : ` (it replaces the suspension by ${replaced.who}: ${replaced.reason})`
  say(output, answer, `Suspended ${application ?? 'the environment'}: ${reason}${instead}`)
  return exitCode.done
}

/** Ends a suspension. */
export async function resume(output: Output, flags: CommonFlags & OnApplication): Promise<number> {
  const answer = await post(flags, '/api/v1/resume', { application: flags.application })
  const resumed = (answer as { readonly resumed?: boolean }).resumed === true
  say(output, answer, resumed ? 'Resumed.' : 'Nothing was suspended.')
  return exitCode.done
}

/** Ends quarantines, so that the releases are tried again. */
export async function retry(output: Output, flags: CommonFlags, application?: string): Promise<number> {
  const answer = await post(flags, '/api/v1/retry', { application })
  const released = numberOf(answer, 'released')
  say(
    output,
    answer,
    released === 0 ? 'Nothing is quarantined.' : `Released ${released}; tallyman tries again now.`,
  )
  return exitCode.done
}

/** Makes a site report to load balancers that it is drained, so that they send it no requests. */
export async function drain(output: Output, flags: CommonFlags, site = ''): Promise<number> {
  const answer = await post(flags, '/api/v1/drain', { site })
  say(output, answer, `Drained ${site}: load balancers in front are told to send it no more requests.`)
  return exitCode.done
}

/** Ends the draining of a site. */
export async function undrain(output: Output, flags: CommonFlags, site = ''): Promise<number> {
  say(output, await post(flags, '/api/v1/undrain', { site }), `${site} takes requests again.`)
  return exitCode.done
}

/** Prints what the ingresses counted, in Prometheus' text format. */
export async function metrics(output: Output, flags: CommonFlags): Promise<number> {
  const environment = oneEnvironment(flags)
  const query = environment === undefined ? '' : `?environment=${encodeURIComponent(environment)}`
  const text = await createClient(controlSocketOf(flags)).text(`/metrics${query}`)
  if (output.json) output.document({ metrics: text })
  else output.text(text.trimEnd().split('\n'))
  return exitCode.done
}

async function post(
  flags: CommonFlags,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return createClient(controlSocketOf(flags)).post(path, { ...body, environment: oneEnvironment(flags) })
}

function say(output: Output, answer: unknown, text: string): void {
  if (output.json) output.document(answer)
  else output.text([text])
}

function numberOf(answer: unknown, key: string): number {
  const value = (answer as Readonly<Record<string, unknown>>)[key]
  return typeof value === 'number' ? value : 0
}
