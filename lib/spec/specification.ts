import { type Document, pointerTo } from '../document/document.ts'
import { parseJson } from '../document/json.ts'
import { parseYaml } from '../document/yaml.ts'
import { type ErrorCode, Failure, InvalidInput, type Problem } from '../errors.ts'
import { checkSchema } from '../schema.ts'
import type { Entry, Snapshot } from '../state/snapshot.ts'
import type { ApplicationSpecification } from './application.gen.ts'

/** What a file under `applications/` says, or why it says nothing. */
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
    }

/**
 * The specifications of one `applications/` directory by name, each read and checked against its schema once.
 * What is wrong with one file is told with it and concerns no other (D15). Only what a later try could change fails.
 */
export async function loadSpecifications(
  snapshot: Snapshot,
  directory: string,
): Promise<ReadonlyMap<string, Specification>> {
  const files = (await snapshot.list(directory)).filter(
    ({ name, kind }) => kind !== 'directory' && extension.test(name),
  )
  const byName = Map.groupBy(files, ({ name }) => nameOf(name))
  const loaded = await Promise.all(
    [...byName].map(
      async ([name, entries]) => [name, await load(snapshot, directory, name, entries)] as const,
    ),
  )
  return new Map(loaded)
}

const extension = /\.(ya?ml|json)$/

function nameOf(file: string): string {
  return file.replace(extension, '')
}

async function load(
  snapshot: Snapshot,
  directory: string,
  name: string,
  entries: readonly Entry[],
): Promise<Specification> {
  const [first, second] = entries.map(entry => ({ ...entry, file: `${directory}/${entry.name}` }))
  if (first === undefined) throw new Failure('internal', `${directory}/${name} has no file`)
  const { file } = first
  if (second !== undefined)
    return invalid(file, [
      {
        code: 'duplicate-application',
        message: `${name} is described by ${second.file} too`,
        position: { file },
      },
    ])
  if (first.kind !== 'file')
    return invalid(file, [{ code: 'path-forbidden', message: `is a ${first.kind}`, position: { file } }])
  try {
    return read(name, file, await snapshot.read(file))
  } catch (error) {
    return invalid(file, problemsOf(error, file))
  }
}

function read(name: string, file: string, text: string): Specification {
  const document = file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
  const [first, ...more] = check(name, document)
  if (first !== undefined) return invalid(file, [first, ...more])
  // The schema above is what the type was generated from.
  return { state: 'valid', file, document, value: document.value as ApplicationSpecification }
}

function check(name: string, document: Document): readonly Problem[] {
  if (isRecord(document.value) && document.value['acKind'] === 'PodManifest')
    return [
      problem(document, 'application-invalid', '/acKind', 'is a pod manifest, which is not supported yet'),
    ]
  const problems = checkSchema('application', document)
  if (problems.length > 0) return problems
  const faults = stringsWithNul(document.value, '').map(pointer =>
    problem(document, 'application-invalid', pointer, 'holds a NUL character'),
  )
  if (isRecord(document.value) && document.value['name'] !== name)
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
  return { code, message: `${pointer} ${reason}`, position: document.position(pointer) }
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

function invalid(file: string, problems: readonly [Problem, ...Problem[]]): Specification {
  return { state: 'invalid', file, problems }
}

/** What is wrong with the file itself; what another try could change is no property of the file and is passed on. */
function problemsOf(error: unknown, file: string): readonly [Problem, ...Problem[]] {
  if (error instanceof InvalidInput) {
    const [first, ...more] = error.problems
    if (first !== undefined) return [first, ...more]
  }
  if (!(error instanceof Failure) || error.retry === 'backoff') throw error
  return [{ code: error.code, message: error.message, position: { file }, hint: error.hint }]
}
