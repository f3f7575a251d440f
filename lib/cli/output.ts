import { type Failure, formatProblem, InvalidInput } from '../errors.ts'
import { paint } from '../plan/paint.ts'
import { printable } from '../printable.ts'
import type { PassError } from '../reconcile/error.ts'

/** How a command speaks: results to stdout, everything else to stderr. */
export type Output = {
  readonly json: boolean
  readonly color: boolean
  /** Whether a person can answer questions. */
  readonly interactive: boolean
  /** A result as text, with its newline. */
  text(text: string): void
  /** A result as one JSON document. */
  document(value: unknown): void
  /** A line for people, on stderr. */
  note(text: string): void
}

export type OutputFlags = { readonly output?: string; readonly color?: boolean }

export function createOutput({ output, color: wanted = true }: OutputFlags): Output {
  const json = output === 'json'
  const color = wanted && !json && process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined
  return {
    json,
    color,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true && !json,
    text: text => process.stdout.write(text),
    document: value => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: text => process.stderr.write(`${text}\n`),
  }
}

/** Says what went wrong and what to do about it, each thing once. */
export function reportErrors(
  output: Output,
  errors: readonly Pick<PassError, 'code' | 'message' | 'hint'>[],
): void {
  const { red, dim } = paint(output.color && process.stderr.isTTY === true)
  for (const { code, message, hint } of errors) {
    output.note(`${red('Error:')} ${printable(message)} (${code})`)
    output.note(dim(`  hint: ${printable(hint)}`))
  }
}

/** A failure that ended a command, as text or as the JSON document of the command. */
export function reportFailure(output: Output, failure: Failure): void {
  if (output.json) output.document({ error: errorJson(failure) })
  if (failure instanceof InvalidInput) {
    for (const problem of failure.problems) output.note(printable(formatProblem(problem)))
    const hints = new Set(failure.problems.map(({ hint }) => hint ?? failure.hint))
    for (const hint of hints) output.note(`  hint: ${printable(hint)}`)
    return
  }
  reportErrors(output, [failure])
}

/** `{code, message, hint, resource}` of the interface. */
export function errorJson({
  code,
  message,
  hint,
  resource,
}: Pick<Failure, 'code' | 'message' | 'hint' | 'resource'> | PassError): object {
  return { code, message, hint, ...(resource === undefined ? {} : { resource }) }
}
