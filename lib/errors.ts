import { catalogue, type ErrorCode, type Retry } from './errors/catalogue.ts'
import { limits } from './limits.ts'
import { sumOf } from './numbers.ts'
import { bounded, boundedLines } from './text/bounded.ts'

/** A place in a file of the repository. Lines and columns count from 1. */
export type Position = { readonly file: string; readonly line?: number; readonly column?: number }

/** An error or a warning about an input file. */
export type Problem = {
  readonly code: ErrorCode
  readonly message: string
  readonly position?: Position
  readonly hint?: string
  /** How many problems this one stands for, which are not listed. */
  readonly notListed?: number
}

/**
 * The one error type of this project. `message` says first where, then what; `hint` says what to do. Foreign errors are
 * translated once, at the edge, and kept as `cause`.
 */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly hint: string
  readonly retry: Retry
  readonly resource: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; resource?: string } = {},
  ) {
    super(boundedLines(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.hint = bounded(options.hint ?? catalogue[code].hint)
    this.retry = catalogue[code].retry
    this.resource = options.resource
  }
}

/** Input files that cannot be used. It carries all problems at once, in the order of the file. */
export class InvalidInput extends Failure {
  readonly problems: readonly Problem[]

  constructor(problems: readonly [Problem, ...Problem[]]) {
    const [{ code, hint }] = problems
    const told = counted(problems)
    super(code, told.map(formatProblem).join('\n'), hint === undefined ? {} : { hint })
    this.name = 'InvalidInput'
    this.problems = told
  }
}

/**
 * Limits problems for each file and in all (G24). The first ones stay, and one more problem at the end says how many
 * are left out. Applied again it changes nothing.
 */
export function counted(problems: readonly Problem[]): readonly Problem[] {
  const files = Map.groupBy(problems.map(boundedProblem), ({ position }) => position?.file)
  const told = [...files].flatMap(([file, ofFile]) => countedOfFile(ofFile, file))
  return upTo(told, limits.problems)
}

/** Returns the first problems; the last one stands for those that are not listed. */
export function upTo(problems: readonly Problem[], most: number): readonly Problem[] {
  const [next, ...rest] = problems.slice(most - 1)
  if (next === undefined || rest.length === 0) return problems
  return [...problems.slice(0, most - 1), more(next.code, countProblems([next, ...rest]), undefined)]
}

function countedOfFile(problems: readonly Problem[], file: string | undefined): readonly Problem[] {
  const told = problems.filter(({ notListed }) => notListed === undefined)
  if (told.length === problems.length && told.length <= limits.problemsOfFile) return problems
  const kept = told.slice(0, limits.problemsOfFile - 1)
  const code = (told[kept.length] ?? problems.at(-1))?.code ?? 'internal'
  return [...kept, more(code, countProblems(problems) - kept.length, file)]
}

/** Returns how many problems these are, including those that they stand for. */
export function countProblems(problems: readonly Problem[]): number {
  return sumOf(problems, ({ notListed = 1 }) => notListed)
}

/** Returns the problem that stands for others of a file, or of all files, that are not listed. */
export function more(code: ErrorCode, notListed: number, file: string | undefined): Problem {
  const position = file === undefined ? {} : { position: { file } }
  return { code, message: `and ${notListed} more problems, which are not listed`, ...position, notListed }
}

/** Returns a problem whose texts are bounded, whatever they say of the input (G24). */
export function boundedProblem(problem: Problem): Problem {
  const { message, hint, position } = problem
  return {
    ...problem,
    message: bounded(message),
    ...(hint === undefined ? {} : { hint: bounded(hint) }),
    ...(position === undefined ? {} : { position: { ...position, file: bounded(position.file) } }),
  }
}

/** Returns what to do about a problem: its own hint, or that of its code. */
export function hintOfProblem({ code, hint }: Pick<Problem, 'code' | 'hint'>): string {
  return hint ?? catalogue[code].hint
}

/** Returns a problem with what to do about it, as JSON tells it. */
export function withHint(problem: Problem): Problem {
  return { ...problem, hint: hintOfProblem(problem) }
}

/** Returns `file:line:column: message (code)`, the form that editors understand. */
export function formatProblem(problem: Problem): string {
  const { position, message, code } = boundedProblem(problem)
  return `${formatPosition(position)}${message} (${code})`
}

/** Returns a message without the file that it begins with, for a problem whose position names that file. */
export function withoutFile(message: string, file: string): string {
  return message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message
}

/** Returns `file:line:column: `, the beginning of a message; empty: nobody knows where. */
export function formatPosition(position: Position | undefined): string {
  if (position === undefined) return ''
  const { file, line, column } = position
  return line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `
}

/**
 * Returns any thrown value as a Failure. An abort is `interrupted`, wherever it came from. Anything else that was not
 * translated is a defect (`internal`).
 */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof Error && error.name === 'AbortError')
    return new Failure('interrupted', 'stopped before it was done', { cause: error })
  const message = messageOf(error)
  return new Failure('internal', message, { cause: error })
}

/** Returns what an error says, whatever was thrown, without what Node.js advises those who start it themselves. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [said = ''] = message.split('; if the root CA is installed locally, try running Node.js', 1)
  return said
}
