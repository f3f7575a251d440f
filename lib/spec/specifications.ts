import { posix } from 'node:path'
import { Failure, type Problem } from '../errors.ts'
import { limits } from '../limits.ts'
import { isDocumentName } from '../state/repository/layout.ts'
import { obstacle } from '../state/repository/obstacle.ts'
import type { Entry, Snapshot } from '../state/repository/snapshot.ts'
import {
  applicationNameOf,
  parseSpecification,
  problemsOfFile,
  type Specification,
  unusableSpecification,
} from './specification.ts'

/**
 * Returns all specifications that an environment can name, each read and checked against its schema once. The
 * environment's own replace shared ones of the same name. A mistake in one file is reported with it and concerns no
 * other (D15). Their cost is bounded together: the smallest are read first, so that one that is too large does not
 * affect the others (G24). Fails if something else is in place of their directory, because then it is unknown which
 * exist, and for reasons that may go away.
 */
export function specificationsFor(
  snapshot: Snapshot,
  directory: string,
): Promise<ReadonlyMap<string, Specification>> {
  return specificationReader(snapshot)(directory)
}

/** Returns the specifications of an environment by its directory. */
export type SpecificationReader = (directory: string) => Promise<ReadonlyMap<string, Specification>>

/** Creates a reader like `specificationsFor`, which reads and checks once what several environments share (G24). */
export function specificationReader(snapshot: Snapshot): SpecificationReader {
  const files = new Map<string, Promise<Loaded>>()
  const known = new Map<string, Specification>()
  const shared = new Map<string, Promise<ReadonlyMap<string, Specification>>>()
  const parse = (loaded: Loaded) => kept(known, loaded.file, () => parsedOf(loaded))
  const read = async (all: ReadonlyMap<string, Files>) =>
    boundedTogether(
      await Promise.all(
        [...all].map(([name, some]) => kept(files, some[0]?.file ?? name, () => load(snapshot, name, some))),
      ),
      parse,
    )
  return async environment => {
    const [common, own] = directoriesFor(environment)
    const theirs = await found(snapshot, own)
    if (theirs.size === 0) return kept(shared, common, async () => read(await found(snapshot, common)))
    return read(new Map([...(await found(snapshot, common)), ...theirs]))
  }
}

/** Returns the known value of a key, or makes it. */
function kept<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

function boundedTogether(
  loaded: readonly Loaded[],
  parse: (loaded: Loaded) => Specification,
): ReadonlyMap<string, Specification> {
  const bySize = loaded.toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const parsed = new Map<string, Specification>()
  let tokens = 0
  for (const one of bySize) {
    const specification = tokens > limits.specificationTokens ? tooMuch(one) : parse(one)
    tokens += costOf(one, specification)
    parsed.set(one.name, specification)
  }
  return new Map(
    loaded.flatMap(({ name }) => {
      const specification = parsed.get(name)
      return specification === undefined ? [] : [[name, specification] as const]
    }),
  )
}

/** A file with its text, or why there is none. */
type Loaded = { readonly name: string; readonly file: string } & (
  | { readonly text: string }
  | { readonly specification: Specification }
)

/** The files of one name. More than one is a mistake. */
type Files = readonly (Entry & { readonly file: string })[]

/** Returns the files of a directory by the names of their applications. */
async function found(snapshot: Snapshot, directory: string): Promise<ReadonlyMap<string, Files>> {
  const files = (await snapshot.list(directory)).filter(({ name }) => isDocumentName(name))
  return Map.groupBy(
    files.map(entry => ({ ...entry, file: `${directory}/${entry.name}` })),
    ({ name }) => applicationNameOf(name),
  )
}

function sizeOf(loaded: Loaded): number {
  return 'text' in loaded ? loaded.text.length : 0
}

function parsedOf(loaded: Loaded): Specification {
  return 'text' in loaded ? parseSpecification(loaded.file, loaded.text) : loaded.specification
}

function tooMuch(loaded: Loaded): Specification {
  if ('specification' in loaded) return loaded.specification
  const { file } = loaded
  const message = `is not read: the smaller specifications have ${limits.specificationTokens} words and values already, which is the most for one environment; make it smaller`
  return unusableSpecification(file, [{ code: 'repository-too-large', message, position: { file } }])
}

/** Returns the cost of reading a file; if reading stopped early, the highest that it can have been. */
function costOf(loaded: Loaded, specification: Specification): number {
  if (specification.state === 'valid') return specification.document.tokens
  return specification.rest?.document.tokens ?? Math.min(sizeOf(loaded), limits.yamlTokens)
}

/** Returns the directories of an environment's specifications: the shared ones, and its own, which take precedence. */
export function directoriesFor(environmentDirectory: string): readonly [string, string] {
  return [
    posix.join(posix.dirname(posix.dirname(environmentDirectory)), 'applications'),
    posix.join(environmentDirectory, 'applications'),
  ]
}

async function load(snapshot: Snapshot, name: string, [first, second]: Files): Promise<Loaded> {
  if (first === undefined) throw new Failure('internal', `${name} has no file`)
  const { file, kind } = first
  const broken = (problem: Omit<Problem, 'position'>): Loaded => {
    return { name, file, specification: unusableSpecification(file, [{ ...problem, position: { file } }]) }
  }
  if (second !== undefined)
    return broken({
      code: 'duplicate-application',
      message: `${name} is described by ${second.file} too`,
    })
  if (kind !== 'file') return broken(obstacle(kind, 'regular file'))
  try {
    return { name, file, text: await snapshot.read(file) }
  } catch (error) {
    return { name, file, specification: unusableSpecification(file, problemsOfFile(error, file)) }
  }
}
