import { createClient } from './client.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import type { Output } from './output.ts'
import { controlSocketOf } from './state-dir.ts'
import { parseTime } from './time.ts'

type Message = { readonly message?: string }
type OnApplication = { readonly application?: string }

/** Says yes to a waiting plan. */
export async function approve(output: Output, flags: CommonFlags & Message, id = ''): Promise<number> {
  const answer = await post(flags, `/api/v1/plans/${encodeURIComponent(id)}/approve`, {
    message: flags.message,
  })
  const left = numberOf(answer, 'removalsLeft')
  say(
    output,
    answer,
    `Approved plan ${id}.${left > 0 ? ` ${left === 1 ? 'One removal waits' : `${left} removals wait`} for a confirmation of its own.` : ''}`,
  )
  return exitCode.done
}

/** Says no to a waiting plan. */
export async function discard(output: Output, flags: CommonFlags & Message, id = ''): Promise<number> {
  say(
    output,
    await post(flags, `/api/v1/plans/${encodeURIComponent(id)}/discard`, { message: flags.message }),
    `Discarded plan ${id}.`,
  )
  return exitCode.done
}

/** Makes the daemon look again now. */
export async function reconcile(output: Output, flags: CommonFlags): Promise<number> {
  say(output, await post(flags, '/api/v1/reconcile', {}), 'It looks again now.')
  return exitCode.done
}

/** Holds an environment, or one application of it. */
export async function suspend(
  output: Output,
  flags: CommonFlags & OnApplication & { readonly reason: string; readonly until?: string },
): Promise<number> {
  const { application, reason, until } = flags
  const untilMs = until === undefined ? undefined : parseTime(until, Date.now(), 'ahead')
  const answer = await post(flags, '/api/v1/suspend', { application, reason, untilMs })
  say(output, answer, `Suspended ${application ?? 'the environment'}: ${reason}`)
  return exitCode.done
}

/** Ends a suspension. */
export async function resume(output: Output, flags: CommonFlags & OnApplication): Promise<number> {
  const answer = await post(flags, '/api/v1/resume', { application: flags.application })
  const resumed = (answer as { readonly resumed?: boolean }).resumed === true
  say(output, answer, resumed ? 'Resumed.' : 'Nothing was suspended.')
  return exitCode.done
}

/** Releases what is quarantined. */
export async function retry(output: Output, flags: CommonFlags, application?: string): Promise<number> {
  const answer = await post(flags, '/api/v1/retry', { application })
  const released = numberOf(answer, 'released')
  say(
    output,
    answer,
    released === 0 ? 'Nothing is quarantined.' : `Released ${released}; it is tried again now.`,
  )
  return exitCode.done
}

/** Has load balancers told to send a site nothing more. */
export async function drain(output: Output, flags: CommonFlags, site = ''): Promise<number> {
  const answer = await post(flags, '/api/v1/drain', { site })
  say(output, answer, `Drained ${site}: load balancers in front are told to send nothing more.`)
  return exitCode.done
}

/** Has load balancers told to send to a site again. */
export async function undrain(output: Output, flags: CommonFlags, site = ''): Promise<number> {
  say(output, await post(flags, '/api/v1/undrain', { site }), `${site} takes requests again.`)
  return exitCode.done
}

/** What the ingresses counted, in Prometheus' text format. */
export async function metrics(output: Output, flags: CommonFlags): Promise<number> {
  const text = await createClient(controlSocketOf(flags)).text('/metrics')
  if (output.json) output.document({ metrics: text })
  else output.text(text)
  return exitCode.done
}

async function post(
  flags: CommonFlags,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const [environment] = flags.environment ?? []
  return createClient(controlSocketOf(flags)).post(path, { ...body, environment })
}

function say(output: Output, answer: unknown, text: string): void {
  if (output.json) output.document(answer)
  else output.text(`${text}\n`)
}

function numberOf(answer: unknown, key: string): number {
  const value = (answer as Readonly<Record<string, unknown>>)[key]
  return typeof value === 'number' ? value : 0
}
