import { type Origin, originText } from '../config/find-file.ts'
import { type Failure, formatProblem, InvalidInput } from '../errors.ts'
import { type Line, styled } from '../plan/line.ts'
import { printableJson } from '../printable.ts'
import type { PassError } from '../reconcile/error.ts'
import { printed } from './printed.ts'

/**
 * How a command speaks: results to stdout, everything else to stderr. Whatever is handed over is made harmless here
 * (G24), and nothing else writes to either.
 */
export type Output = {
  readonly json: boolean
  /** Whether a person can answer questions. */
  readonly interactive: boolean
  /** A result as text. */
  text(lines: readonly Line[]): void
  /** A result as one JSON document. */
  document(value: unknown): void
  /** One of several results that come one by one, as JSON on one line. */
  entry(value: unknown): void
  /** A line for people, on stderr. */
  note(line: Line): void
}

export type OutputFlags = { readonly output?: string; readonly color?: boolean }

/** Where it goes: the streams of the process. */
export type Streams = {
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly stderr: Sink
}

type Sink = { readonly isTTY?: boolean; write(text: string): unknown }

export function createOutput(
  { output, color: wanted = true }: OutputFlags,
  { stdin, stdout, stderr }: Streams = process,
): Output {
  const json = output === 'json'
  const colors = ({ isTTY }: Sink) => wanted && isTTY === true && process.env['NO_COLOR'] === undefined
  return {
    json,
    interactive: stdin.isTTY === true && stderr.isTTY === true && !json,
    text: lines => stdout.write(printed(lines, colors(stdout))),
    document: value => stdout.write(`${printableJson(value, 2)}\n`),
    entry: value => stdout.write(`${printableJson(value)}\n`),
    note: line => stderr.write(printed([line], colors(stderr))),
  }
}

/** Says which configuration file counts, to people; documents have it in a field of their own. */
export function sayOrigin(output: Output, origin: Origin): void {
  if (!output.json) output.note(`Configuration: ${originText(origin)}`)
}

/** Says what went wrong and what to do about it, each thing once. */
export function reportErrors(
  output: Output,
  errors: readonly Pick<PassError, 'code' | 'message' | 'hint'>[],
): void {
  for (const { code, message, hint } of errors) {
    output.note([styled('red', 'Error:'), ` ${message} (${code})`])
    output.note(styled('dim', `  hint: ${hint}`))
  }
}

/** A failure that ended a command, as text or as the JSON document of the command. */
export function reportFailure(output: Output, failure: Failure): void {
  if (output.json) output.document({ error: errorJson(failure) })
  if (failure instanceof InvalidInput) {
    for (const problem of failure.problems) output.note(formatProblem(problem))
    const hints = new Set(failure.problems.map(({ hint }) => hint ?? failure.hint))
    for (const hint of hints) output.note(`  hint: ${hint}`)
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
