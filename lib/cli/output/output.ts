import { type Origin, originText } from '../../config/find-file.ts'
import {
  type Failure,
  formatProblem,
  hintOfProblem,
  InvalidInput,
  type Problem,
  withHint,
} from '../../errors.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import type { PassError } from '../../reconcile/status/error.ts'
import { printableJson } from '../../text/printable.ts'
import { jsonDocument } from './json-document.ts'
import { printed } from './printed.ts'
import { written } from './written.ts'

/**
 * The output of a command: results go to stdout, everything else to stderr. All text is made harmless here (G24), and
 * nothing else writes to either.
 */
export type Output = {
  readonly json: boolean
  /** Whether a person can answer questions. */
  readonly interactive: boolean
  /** Whether a person watches on a terminal what is going on. */
  readonly live: boolean
  /** Whether what people are told and asked on stderr has colors. */
  readonly colors: boolean
  /** Prints a result as text. */
  text(lines: readonly Line[]): void
  /** Prints a result as one JSON document. */
  document(value: unknown): void
  /** Prints one of several results that come one by one, as JSON on one line. */
  entry(value: unknown): void
  /** Prints a line for people on stderr. */
  note(line: Line): void
  /** Resolves once there is room for more results, so that a slow reader never makes them pile up. */
  room(signal: AbortSignal): Promise<void>
}

export type OutputFlags = { readonly output?: string; readonly color?: boolean }

/** The streams of the process. */
export type Streams = {
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly stderr: Sink
}

type Sink = { readonly isTTY?: boolean; write(text: string): unknown }

/** A long text is printed in pieces, so that it is never in memory as a whole. */
const linesAtOnce = 1_000

/** Creates the output of a command on these streams. */
export function createOutput(
  { output, color: wanted = true }: OutputFlags,
  { stdin, stdout, stderr }: Streams = process,
): Output {
  const json = output === 'json'
  const colors = ({ isTTY }: Sink) => wanted && isTTY === true && process.env['NO_COLOR'] === undefined
  return {
    json,
    interactive: stdin.isTTY === true && stderr.isTTY === true && !json,
    live: stderr.isTTY === true && !json,
    colors: colors(stderr),
    text(lines) {
      for (let at = 0; at < lines.length; at += linesAtOnce)
        stdout.write(printed(lines.slice(at, at + linesAtOnce), colors(stdout)))
    },
    document(value) {
      for (const piece of jsonDocument(value)) stdout.write(piece)
    },
    entry: value => stdout.write(`${printableJson(value)}\n`),
    note: line => stderr.write(printed([line], colors(stderr))),
    room: signal => written(stdout, signal),
  }
}

/** Tells people which configuration file is used. Documents have it in a field of their own. */
export function sayOrigin(output: Output, origin: Origin): void {
  if (!output.json) output.note(`Configuration: ${originText(origin)}`)
}

/** Prints each error with its hint once: one may concern several applications. */
export function reportErrors(
  output: Output,
  errors: readonly Pick<PassError, 'code' | 'message' | 'hint'>[],
): void {
  const each = new Map(errors.map(error => [`${error.code} ${error.message}`, error]))
  for (const { code, message, hint } of each.values()) {
    output.note([styled('red', 'Error:'), ` ${message} (${code})`])
    output.note(styled('dim', `  hint: ${hint}`))
  }
}

/** Prints which sites were not reached, and why. */
export function reportUnreachable(
  output: Output,
  sites: readonly Pick<PassError, 'code' | 'message' | 'hint'>[] = [],
): void {
  for (const { code, message, hint } of sites) {
    output.note([styled('yellow', 'Unreachable:'), ` ${message} (${code})`])
    output.note(styled('dim', `  hint: ${hint}`))
  }
}

/** Prints once what to do about problems that are shown above, with the code if they have several. */
export function reportHints(output: Output, problems: readonly Problem[]): void {
  const isOneCode = new Set(problems.map(({ code }) => code)).size === 1
  const lines = problems.map(
    problem => `  hint${isOneCode ? '' : ` (${problem.code})`}: ${hintOfProblem(problem)}`,
  )
  for (const line of new Set(lines)) output.note(line)
}

/** Prints the failure that ended a command, as text or as the JSON document of the command. */
export function reportFailure(output: Output, failure: Failure): void {
  if (output.json) output.document(errorDocument(failure))
  if (failure instanceof InvalidInput) {
    for (const problem of failure.problems) output.note(formatProblem(problem))
    reportHints(output, failure.problems)
    return
  }
  reportErrors(output, [failure])
}

/** Returns the document of a command that failed: `error`, and `errors` with their places if it is about what somebody wrote. */
export function errorDocument(failure: Failure): object {
  const all = failure instanceof InvalidInput ? failure.problems : []
  return { error: errorJson(failure), ...(all.length > 0 ? { errors: all.map(withHint) } : {}) }
}

/** Returns an error in the form of the interface: `{code, message, hint, resource}`. */
export function errorJson({
  code,
  message,
  hint,
  resource,
}: Pick<Failure, 'code' | 'message' | 'hint' | 'resource'> | PassError): object {
  return { code, message, hint, ...(resource === undefined ? {} : { resource }) }
}
