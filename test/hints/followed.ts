import { expect } from 'chai'
import { catalogue, type ErrorCode } from '../../lib/errors/catalogue.ts'
import { InvalidInput, toFailure } from '../../lib/errors.ts'

/** An error or a warning as a person reads it. */
export type Told = { readonly code: string; readonly message: string; readonly hint: string }

/** Where something goes wrong: a repository, a server, a daemon. Made anew for every clause that is followed. */
export type Room<Scene> = {
  /** With nothing wrong in it. */
  open(): Scene | Promise<Scene>
  /** What a person is told who looks. */
  look(scene: Scene): Promise<readonly Told[]> | readonly Told[]
  close?(scene: Scene): Promise<void>
}

/** What goes wrong in a room, and what the hint asks for, done to the letter. */
export type Row<Scene> = {
  readonly code: ErrorCode
  /** Absent: the one of the catalogue. */
  readonly hint?: string
  readonly wrong: (scene: Scene) => unknown
  /** By the words of the hint that ask for something: how that is done. Then nobody is told anything any more. */
  readonly follow: Readonly<Record<string, (scene: Scene) => unknown>>
  /** The words of the hint that ask for nothing. */
  readonly says?: readonly string[]
}

/** A hint that another test follows: the words that it follows, with the file of that test and the title. */
export type Held = {
  readonly code: ErrorCode
  readonly hint?: string
  readonly held: Readonly<Record<string, readonly [file: string, title: string]>>
  readonly says?: readonly string[]
}

/** A hint with every one of its words accounted for. */
export type FollowedHint = {
  readonly code: ErrorCode
  readonly hint: string
  readonly clauses: readonly Clause[]
  readonly says: readonly string[]
}

export type Clause = { readonly words: string } & (
  | { readonly follow: () => Promise<void> }
  | { readonly file: string; readonly title: string }
)

/** The rows of one room. */
export function followedIn<Scene>(room: Room<Scene>, rows: readonly Row<Scene>[]): readonly FollowedHint[] {
  return rows.map(row => {
    const { code, hint = catalogue[code].hint, says = [] } = row
    const clauses = Object.entries(row.follow).map(([words, act]) => ({
      words,
      follow: () => follow(room, { ...row, hint }, act),
    }))
    return { code, hint, clauses, says }
  })
}

/** Hints that other tests follow. */
export function heldElsewhere(rows: readonly Held[]): readonly FollowedHint[] {
  return rows.map(({ code, hint = catalogue[code].hint, held, says = [] }) => ({
    code,
    hint,
    says,
    clauses: Object.entries(held).map(([words, [file, title]]) => ({ words, file, title })),
  }))
}

/** What a failure tells, each problem of it with the hint that is shown beside it. */
export function toldOf(error: unknown): readonly Told[] {
  const failure = toFailure(error)
  if (failure.code === 'internal') throw failure
  if (!(failure instanceof InvalidInput))
    return [failure].map(({ code, message, hint }) => ({ code, message, hint }))
  return failure.problems.map(problemTold)
}

/** A problem with its own hint, or the one of its code. */
export function problemTold({
  code,
  message,
  hint = catalogue[code].hint,
}: {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
}): Told {
  return { code, message, hint }
}

async function follow<Scene>(
  { open, look, close }: Room<Scene>,
  { code, hint, wrong }: Row<Scene>,
  act: (scene: Scene) => unknown,
): Promise<void> {
  const scene = await open()
  try {
    await wrong(scene)
    const told = await look(scene)
    const isTold = told.some(one => one.code === code && one.hint === hint)
    expect(isTold, `what is told is ${inWords(told)}, and not ${code}: ${hint}`).to.equal(true)
    await act(scene)
    expect(inWords(await look(scene)), 'told after that').to.equal('nothing')
  } finally {
    await close?.(scene)
  }
}

function inWords(told: readonly Told[]): string {
  return told.map(({ code, message, hint }) => `${code}: ${message} (${hint})`).join('; ') || 'nothing'
}
