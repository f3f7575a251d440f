import { posix } from 'node:path'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { Failure, type Problem } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { documentNameOf, isDocumentName } from '../../state/repository/layout.ts'
import { obstacle } from '../../state/repository/obstacle.ts'
import type { Entry, Snapshot } from '../../state/repository/snapshot.ts'
import { problemsOfFile } from './specification.ts'

/** Where documents with names stand: beside the directory of all environments, and in that of one. */
export type NamedDirectory = 'applications' | 'deployments'

/** What is made of the files of such a directory. */
export type NamedKind<Value> = {
  readonly directory: NamedDirectory
  /** Which files there are for a directory, by a name of which only one can be; absent: the documents in it. */
  readonly find?: (snapshot: Snapshot, directory: string) => Promise<ReadonlyMap<string, Files>>
  /** The code of two files for one name. */
  readonly duplicate: ErrorCode
  /** Called once there is a file. */
  readonly load: () => Promise<(file: string, text: string) => Value>
  readonly unusable: (file: string, problems: readonly [Problem, ...Problem[]]) => Value
  /** Words and values that were read, and whatever else costs as much; undefined if reading stopped early. */
  readonly tokensOf: (value: Value) => number | undefined
}

/**
 * Returns what an environment can name, by name, from the directory of the environment. `only`: a directory of which
 * only what it holds itself is meant.
 */
export type NamedReader<Value> = (directory: string, only?: 'own') => Promise<ReadonlyMap<string, Value>>

/**
 * Creates a reader of documents that reads and checks once what several environments share (G24). The environment's own
 * replace shared ones of the same name. A mistake in one file is reported with it and concerns no other (D15). Their
 * cost is bounded together: the smallest are read first, so that one that is too large does not affect the others. It
 * fails if something else is in place of their directory, because then it is unknown which exist, and for reasons that
 * may go away.
 */
export function namedReader<Value>(snapshot: Snapshot, kind: NamedKind<Value>): NamedReader<Value> {
  const { find = found } = kind
  const files = new Map<string, Promise<Loaded<Value>>>()
  const known = new Map<string, Value>()
  const shared = new Map<string, Promise<ReadonlyMap<string, Value>>>()
  const read = async (all: ReadonlyMap<string, Files>) => {
    if (all.size === 0) return new Map<string, Value>()
    const parse = await kind.load()
    return boundedTogether(
      await Promise.all(
        [...all].map(([name, some]) =>
          kept(files, some[0]?.file ?? name, () => load(snapshot, kind, name, some)),
        ),
      ),
      kind,
      loaded =>
        kept(known, loaded.file, () =>
          'text' in loaded ? parse(loaded.file, loaded.text) : loaded.unusable,
        ),
    )
  }
  return async (environment, only) => {
    const [common, own] = directoriesFor(environment, kind.directory)
    const theirs = await find(snapshot, own)
    if (only === 'own') return read(theirs)
    if (theirs.size === 0) return kept(shared, common, async () => read(await find(snapshot, common)))
    return read(new Map([...(await find(snapshot, common)), ...theirs]))
  }
}

/** Returns the directories of an environment's documents: the shared ones, and its own, which take precedence. */
export function directoriesFor(
  environmentDirectory: string,
  directory: NamedDirectory,
): readonly [string, string] {
  return [
    posix.join(posix.dirname(posix.dirname(environmentDirectory)), directory),
    posix.join(environmentDirectory, directory),
  ]
}

/** Returns the known value of a key, or makes it. */
function kept<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

function boundedTogether<Value>(
  loaded: readonly Loaded<Value>[],
  kind: NamedKind<Value>,
  parse: (loaded: Loaded<Value>) => Value,
): ReadonlyMap<string, Value> {
  const bySize = loaded.toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const values = new Map<string, Value>()
  let tokens = 0
  for (const one of bySize) {
    const value = tokens > limits.specificationTokens ? tooMuch(one, kind) : parse(one)
    // If reading stopped early, it cost at most as much.
    tokens += kind.tokensOf(value) ?? Math.min(sizeOf(one), limits.yamlTokens)
    values.set(one.name, value)
  }
  return new Map(
    loaded.flatMap(({ name }) => {
      const value = values.get(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** A file with its text, or what is said of it without one. */
type Loaded<Value> = { readonly name: string; readonly file: string } & (
  | { readonly text: string }
  | { readonly unusable: Value }
)

/** The files of one name. More than one is a mistake. */
export type Files = readonly (Entry & { readonly file: string })[]

/** Returns the files of a directory by the names of what they describe. */
async function found(snapshot: Snapshot, directory: string): Promise<ReadonlyMap<string, Files>> {
  const files = (await snapshot.list(directory)).filter(({ name }) => isDocumentName(name))
  return Map.groupBy(
    files.map(entry => ({ ...entry, file: `${directory}/${entry.name}` })),
    ({ name }) => documentNameOf(name),
  )
}

function sizeOf<Value>(loaded: Loaded<Value>): number {
  return 'text' in loaded ? loaded.text.length : 0
}

function tooMuch<Value>(loaded: Loaded<Value>, kind: NamedKind<Value>): Value {
  if ('unusable' in loaded) return loaded.unusable
  const { file } = loaded
  const message = `is not read: the smaller specifications have ${limits.specificationTokens} words, values and parts of regular expressions already, which is the most for one environment; make it smaller`
  return kind.unusable(file, [{ code: 'repository-too-large', message, position: { file } }])
}

async function load<Value>(
  snapshot: Snapshot,
  { duplicate, unusable }: NamedKind<Value>,
  name: string,
  [first, second]: Files,
): Promise<Loaded<Value>> {
  if (first === undefined) throw new Failure('internal', `${name} has no file`)
  const { file, kind } = first
  const broken = (problem: Omit<Problem, 'position'>): Loaded<Value> => {
    return { name, file, unusable: unusable(file, [{ ...problem, position: { file } }]) }
  }
  if (second !== undefined)
    return broken({ code: duplicate, message: `${name} is described by ${second.file} too` })
  if (kind !== 'file') return broken(obstacle(kind, 'regular file'))
  try {
    return { name, file, text: await snapshot.read(file) }
  } catch (error) {
    return { name, file, unusable: unusable(file, problemsOfFile(error, file)) }
  }
}
