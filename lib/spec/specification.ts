import { posix } from 'node:path'
import { type Document, pointerTo, shownPointer } from '../document/document.ts'
import { parseJson } from '../document/json.ts'
import { parseYaml } from '../document/yaml.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { Failure, InvalidInput, type Problem, withoutFile } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkSchema, withoutFaults } from '../schema.ts'
import { isDocumentName } from '../state/repository/layout.ts'
import { obstacle } from '../state/repository/obstacle.ts'
import type { Entry, Snapshot } from '../state/repository/snapshot.ts'
import type { ApplicationSpecification } from './application.gen.ts'

/** The content of a file under `applications/`, or why it cannot be used. */
export type Specification =
  | {
      readonly state: 'valid'
      readonly file: string
      readonly document: Document
      readonly value: ApplicationSpecification
    }
  | {
      readonly state: 'invalid'
      readonly file: string
      readonly problems: readonly [Problem, ...Problem[]]
      /**
       * The rest of the content, if it can be read. It is only for finding all mistakes at once, and must never be
       * used.
       */
      readonly rest?: Rest
    }

/** A specification without its invalid places. */
export type Rest = Extract<Specification, { state: 'valid' }> & { readonly without: readonly string[] }

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
    ({ name }) => nameOf(name),
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
  return invalid(file, [{ code: 'repository-too-large', message, position: { file } }])
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

function nameOf(file: string): string {
  return file.replace(/\.(ya?ml|json)$/, '')
}

async function load(snapshot: Snapshot, name: string, [first, second]: Files): Promise<Loaded> {
  if (first === undefined) throw new Failure('internal', `${name} has no file`)
  const { file, kind } = first
  const broken = (problem: Omit<Problem, 'position'>): Loaded => {
    return { name, file, specification: invalid(file, [{ ...problem, position: { file } }]) }
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
    return { name, file, specification: invalid(file, problemsOf(error, file)) }
  }
}

/** Parses one specification. The name of its file decides the name of the application. */
export function parseSpecification(file: string, text: string): Specification {
  try {
    return read(nameOf(posix.basename(file)), file, text)
  } catch (error) {
    return invalid(file, problemsOf(error, file))
  }
}

function read(name: string, file: string, text: string): Specification {
  const document = file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
  if (isRecord(document.value) && document.value['acKind'] === 'PodManifest')
    return invalid(file, [
      problem(document, 'application-invalid', '/acKind', 'is a pod manifest, which is not supported yet'),
    ])
  const broken = checkSchema('application', document)
  const [first, ...more] = [...broken, ...faultsOf(name, document)]
  if (first === undefined) return valid(file, document)
  const rest = broken.length === 0 ? { document, without: [] } : withoutFaults('application', document)
  return {
    ...invalid(file, [first, ...more]),
    ...(rest === undefined ? {} : { rest: { ...valid(file, rest.document), without: rest.without } }),
  }
}

/** Returns the same specification with other texts in it, which still have the shape that the schema demands. */
export function withValue(
  { file, document }: Extract<Specification, { state: 'valid' }>,
  value: object,
): Extract<Specification, { state: 'valid' }> {
  return valid(file, { ...document, value })
}

/** The schema guarantees the type, which was generated from it. */
function valid(file: string, document: Document): Extract<Specification, { state: 'valid' }> {
  return { state: 'valid', file, document, value: document.value as ApplicationSpecification }
}

function faultsOf(name: string, document: Document): readonly Problem[] {
  const faults = (holdsNul(document.value) ? stringsWithNul(document.value, '') : []).map(pointer =>
    problem(document, 'application-invalid', pointer, 'holds a NUL character'),
  )
  if (
    isRecord(document.value) &&
    typeof document.value['name'] === 'string' &&
    document.value['name'] !== name
  )
    faults.push(
      problem(
        document,
        'name-mismatch',
        '/name',
        `is "${document.value['name']}", and the file is named ${name}`,
      ),
    )
  return faults
}

function problem(document: Document, code: ErrorCode, pointer: string, reason: string): Problem {
  return { code, message: `${shownPointer(pointer)} ${reason}`, position: document.position(pointer) }
}

/** Whether any text has one. Hardly a file does, so no place is named for it. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => key.includes('\0') || holdsNul(inner))
}

function stringsWithNul(value: unknown, pointer: string): string[] {
  if (typeof value === 'string') return value.includes('\0') ? [pointer] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key.includes('\0') ? [pointer] : stringsWithNul(inner, pointerTo(pointer, key)),
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(
  file: string,
  problems: readonly [Problem, ...Problem[]],
): Extract<Specification, { state: 'invalid' }> {
  return { state: 'invalid', file, problems }
}

/** Returns the problems of the file itself. Throws again what another try may resolve. */
function problemsOf(error: unknown, file: string): readonly [Problem, ...Problem[]] {
  if (error instanceof InvalidInput) {
    const [first, ...more] = error.problems
    if (first !== undefined) return [first, ...more]
  }
  if (!(error instanceof Failure) || error.retry === 'backoff') throw error
  return [
    { code: error.code, message: withoutFile(error.message, file), position: { file }, hint: error.hint },
  ]
}
