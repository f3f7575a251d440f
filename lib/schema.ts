import type { ErrorObject } from 'ajv'
import type { Document } from './document/document.ts'
import { pointerTo, shownPointer } from './document/document.ts'
import { leaveOut, memberAt } from './document/leave-out.ts'
import type { ErrorCode } from './errors/catalogue.ts'
import { more, type Position, type Problem } from './errors.ts'
import { limits } from './limits.ts'
import { application } from './schema/application.gen.ts'
import { config, site } from './schema/config.gen.ts'
import { deployment } from './schema/deployment.gen.ts'
import { errorInWords } from './schema/error-in-words.ts'
import { foreignTexts } from './schema/foreign-texts.ts'
import { manifest } from './schema/manifest.gen.ts'
import { pod } from './schema/pod.gen.ts'
import { keyMeant } from './schema/unknown-key.ts'
import { variables } from './schema/variables.gen.ts'

/** The schemas under schemas/, by what they describe. That of a site is a part of that of the configuration. */
export type SchemaName = 'manifest' | 'application' | 'deployment' | 'pod' | 'variables' | 'config' | 'site'

/**
 * Returns everything in a document that its schema does not allow, in the order of the file: one problem per mistake,
 * each with its JSON pointer. An unknown key comes with the nearest known one. Keys that begin with `x-` are free (D2).
 * No file may hold a text that no program can be given (G24).
 */
export function checkSchema(name: SchemaName, document: Document): readonly Problem[] {
  const shape = checkShape(name, document)
  const texts = foreignTexts(document.value, '').slice(0, limits.problemsOfFile)
  if (texts.length === 0) return shape
  const problems = texts.map(({ pointer, reason }) => ({
    code: codes[name],
    message: `${shownPointer(pointer)} ${reason}`.trimStart(),
    position: document.position(pointer),
  }))
  return [...shape, ...problems].sort((a, b) => byPlace(a.position, b.position))
}

function checkShape(name: SchemaName, document: Document): readonly Problem[] {
  const validate = validators[name]
  if (validate(document.value)) return []
  const errors = validate.errors ?? []
  const examined = withoutConsequences(errors.slice(0, mostExamined))
  const rest =
    Math.max(0, examined.length - limits.problemsOfFile) + Math.max(0, errors.length - mostExamined)
  const told = examined
    .slice(0, rest === 0 ? limits.problemsOfFile : limits.problemsOfFile - 1)
    .map(error => errorInWords(error, document, codes[name]))
    .sort((a, b) => byPlace(a.position, b.position))
  return rest === 0 ? told : [...told, more(codes[name], rest + 1, document.file)]
}

/** If a file has more mistakes than this, the rest are counted without removing those that follow from others (G24). */
const mostExamined = 1_000

/**
 * Returns the document without the values that its schema does not allow, so that other mistakes are found at the same
 * time; undefined if too little would be left. A list with one mistake is left out completely, and nothing may be
 * missing that others refer to by name.
 */
export function withoutFaults(
  name: SchemaName,
  document: Document,
): { readonly document: Document; readonly without: readonly string[] } | undefined {
  const validate = validators[name]
  if (!validate(document.value) && (validate.errors?.length ?? 0) > limits.problemsOfFile) return undefined
  const foreign = foreignTexts(document.value, '')
  if (foreign.length > limits.problemsOfFile) return undefined
  const without: string[] = []
  let places: readonly string[] = foreign.map(({ pointer }) => pointer)
  for (let round = 0; round < mostRounds; round += 1) {
    for (const place of places) {
      const pointer = memberAt(document.value, place)
      if (pointer === undefined || referredTo.test(pointer)) return undefined
      without.push(pointer)
    }
    const value = leaveOut(document.value, without)
    if (validate(value)) return { document: { ...document, value }, without }
    places = (validate.errors ?? []).map(placeOfFault)
  }
  return undefined
}

/** Each round leaves out what the one before made incomplete. */
const mostRounds = 5
const referredTo = /\/(name|image|services|containers|init-containers|volumes|variables|items)$/

function placeOfFault({ keyword, instancePath, params, propertyName }: ErrorObject): string {
  const name = propertyName ?? params.propertyName
  const key = keyword === 'additionalProperties' ? params.additionalProperty : name
  return key === undefined ? instancePath : pointerTo(instancePath, key)
}

const codes = {
  manifest: 'manifest-invalid',
  application: 'application-invalid',
  deployment: 'deployment-invalid',
  pod: 'pod-invalid',
  variables: 'variables-invalid',
  config: 'config-invalid',
  site: 'config-invalid',
} as const satisfies Record<SchemaName, ErrorCode>

/** Checks a value. If it is invalid, `errors` says why, until the next call. */
type Validator = { (value: unknown): boolean; readonly errors?: readonly ErrorObject[] | null }

/** The validators that schemas/generate.ts created from the schemas. */
const validators: Readonly<Record<SchemaName, Validator>> = {
  manifest,
  application,
  deployment,
  pod,
  variables,
  config,
  site,
}

/**
 * A misspelled required key would cause two problems, so the missing key is left out. So is that a name is not allowed,
 * because another error says what is wrong with it.
 */
function withoutConsequences(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const meant = new Set(
    errors
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map(error => pointerTo(error.instancePath, keyMeant(error) ?? '')),
  )
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'propertyNames' &&
      (keyword !== 'required' || !meant.has(pointerTo(instancePath, params.missingProperty))),
  )
}

function byPlace(a: Position | undefined, b: Position | undefined): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0)
}
