import { posix } from 'node:path'
import type { Document } from '../../document/document.ts'
import { parseJson } from '../../document/json.ts'
import { parseYaml } from '../../document/yaml.ts'
import { Failure, InvalidInput, type Problem, withoutFile } from '../../errors.ts'
import { isRecord } from '../../object.ts'
import { checkSchema, withoutFaults } from '../../schema.ts'
import { documentNameOf } from '../../state/repository/layout.ts'
import type { ApplicationSpecification } from '../application.gen.ts'
import { isPodManifest, type PodDocument, readPodManifest } from '../pod/parse.ts'

/** The content of a file under `applications/`, or why it cannot be used. */
export type Specification =
  | ApplicationDocument
  | ({ readonly state: 'valid'; readonly kind: 'pod' } & PodDocument)
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

/** An application specification that follows its schema. */
export type ApplicationDocument = {
  readonly state: 'valid'
  readonly kind: 'application'
  readonly file: string
  readonly document: Document
  readonly value: ApplicationSpecification
  /** What was left out of it, because it is invalid. */
  readonly without?: readonly string[]
}

/** A specification without its invalid places. */
export type Rest = Extract<Specification, { state: 'valid' }> & { readonly without: readonly string[] }

/** Parses one specification. The name of its file decides the name of the application. */
export function parseSpecification(file: string, text: string): Specification {
  try {
    return read(documentNameOf(posix.basename(file)), file, text)
  } catch (error) {
    return unusableSpecification(file, problemsOfFile(error, file))
  }
}

function read(name: string, file: string, text: string): Specification {
  const document = file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
  if (isPodManifest(document)) return readPod(file, document)
  const broken = checkSchema('application', document)
  const [first, ...more] = [...broken, ...faultsOf(name, document)]
  if (first === undefined) return valid(file, document)
  const rest = broken.length === 0 ? { document, without: [] } : withoutFaults('application', document)
  return {
    ...unusableSpecification(file, [first, ...more]),
    ...(rest === undefined ? {} : { rest: { ...valid(file, rest.document), without: rest.without } }),
  }
}

function readPod(file: string, document: Document): Specification {
  const { problems, rest } = readPodManifest(document)
  const [first, ...more] = problems
  const pod = rest && ({ state: 'valid', kind: 'pod', ...rest } as const)
  if (first !== undefined)
    return { ...unusableSpecification(file, [first, ...more]), ...(pod === undefined ? {} : { rest: pod }) }
  if (pod === undefined) throw new Failure('internal', `${file} says nothing and is valid`)
  return pod
}

/** Returns the same specification with other texts in it, which still have the shape that the schema demands. */
export function withValue({ file, document }: ApplicationDocument, value: object): ApplicationDocument {
  return valid(file, { ...document, value })
}

/** The schema guarantees the type, which was generated from it. */
function valid(file: string, document: Document): ApplicationDocument {
  const value = document.value as ApplicationSpecification
  return { state: 'valid', kind: 'application', file, document, value }
}

function faultsOf(name: string, document: Document): readonly Problem[] {
  const written = isRecord(document.value) ? document.value['name'] : undefined
  if (typeof written !== 'string' || written === name) return []
  const message = `/name is "${written}", and the file is named ${name}`
  return [{ code: 'name-mismatch', message, position: document.position('/name') }]
}

/** Returns a specification that cannot be used. */
export function unusableSpecification(
  file: string,
  problems: readonly [Problem, ...Problem[]],
): Extract<Specification, { state: 'invalid' }> {
  return { state: 'invalid', file, problems }
}

/** Returns the problems of the file itself. Throws again what another try may resolve. */
export function problemsOfFile(error: unknown, file: string): readonly [Problem, ...Problem[]] {
  if (error instanceof InvalidInput) {
    const [first, ...more] = error.problems
    if (first !== undefined) return [first, ...more]
  }
  if (!(error instanceof Failure) || error.retry === 'backoff') throw error
  return [
    { code: error.code, message: withoutFile(error.message, file), position: { file }, hint: error.hint },
  ]
}
