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
import { manifest } from './schema/manifest.gen.ts'
import { pod } from './schema/pod.gen.ts'
import { variables } from './schema/variables.gen.ts'
import { foreignToPrograms } from './text/foreign-to-programs.ts'
import { nearest } from './text/nearest.ts'

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
    message: `${shownPointer(pointer)} ${reason}`,
    position: document.position(pointer),
  }))
  return [...shape, ...problems].sort((a, b) => byPlace(a.position, b.position))
}

type ForeignText = { readonly pointer: string; readonly reason: string }

/** A key that is wrong is told at what it stands in, because it cannot be shown. */
function foreignTexts(value: unknown, pointer: string): readonly ForeignText[] {
  if (!holdsForeign(value)) return []
  if (typeof value === 'string') return told(pointer, foreignToPrograms(value))
  return Object.entries(value ?? {}).flatMap(([key, inner]) => {
    const reason = foreignToPrograms(key)
    return reason === undefined ? foreignTexts(inner, pointerTo(pointer, key)) : told(pointer, reason)
  })
}

/** Hardly a file holds any, so that no pointer is made for what holds none. */
function holdsForeign(value: unknown): boolean {
  if (typeof value === 'string') return foreignToPrograms(value) !== undefined
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) => foreignToPrograms(key) !== undefined || holdsForeign(inner),
  )
}

function told(pointer: string, reason: string | undefined): readonly ForeignText[] {
  return reason === undefined ? [] : [{ pointer, reason }]
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
    .map(error => problemOf(error, document, codes[name]))
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
  const without: string[] = []
  let places: readonly string[] = foreignTexts(document.value, '').map(({ pointer }) => pointer)
  for (let round = 0; round < mostRounds; round += 1) {
    for (const place of places) {
      const pointer = memberAt(document.value, place)
      if (pointer === undefined || referredTo.test(pointer)) return undefined
      without.push(pointer)
    }
    const value = without.reduce((left, pointer) => leaveOut(left, pointer), document.value)
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
      .map(error => pointerTo(error.instancePath, meantBy(error) ?? '')),
  )
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'propertyNames' &&
      (keyword !== 'required' || !meant.has(pointerTo(instancePath, params.missingProperty))),
  )
}

/** Returns the key that replaces one of Compose, from the schema's keyword `instead`. */
function insteadOf(schema: ErrorObject['parentSchema'], key: string): string | undefined {
  const told: Readonly<Record<string, string>> = schema?.instead ?? {}
  return Object.hasOwn(told, key) ? told[key] : undefined
}

/** Returns the known key that an unknown one was probably meant to be. */
function meantBy({ params, parentSchema }: ErrorObject): string | undefined {
  return nearest(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))
}

function problemOf(error: ErrorObject, document: Document, code: ErrorCode): Problem {
  const { instancePath: parent, params } = error
  switch (error.keyword) {
    case 'required':
      return {
        code,
        message: `${shownPointer(pointerTo(parent, params.missingProperty))} is required`,
        position: document.position(parent),
      }
    case 'additionalProperties':
      return unknownKey(error, document, code)
    default:
      if (error.propertyName !== undefined) return wrongName(error, error.propertyName, document, code)
      return {
        code,
        message: `${placeOf(parent)} ${sayingOf(error, document.spelling(parent))}`,
        position: document.position(parent),
      }
  }
}

/** The name is shown once: it may be as long as its author likes. */
function wrongName(error: ErrorObject, name: string, document: Document, code: ErrorCode): Problem {
  const pointer = pointerTo(error.instancePath, name)
  const saying =
    error.keyword === 'pattern' ? `must be ${error.parentSchema?.['form']}` : sayingOf(error, undefined)
  return { code, message: `${shownPointer(pointer)} ${saying}`, position: document.keyPosition(pointer) }
}

function unknownKey(error: ErrorObject, document: Document, code: ErrorCode): Problem {
  const pointer = pointerTo(error.instancePath, error.params.additionalProperty)
  const instead = insteadOf(error.parentSchema, error.params.additionalProperty)
  const meant = meantBy(error)
  const advice =
    instead !== undefined ? `: ${instead}` : meant !== undefined ? `; did you mean "${meant}"?` : ''
  return {
    code,
    message: `${shownPointer(pointer)} is not a known key${advice}`,
    position: document.keyPosition(pointer),
  }
}

/** @param spelling how a number or boolean is written */
function sayingOf(
  { keyword, params, data, parentSchema, message }: ErrorObject,
  spelling: string | undefined,
): string {
  switch (keyword) {
    case 'type': {
      const wanted = [params.type].flat()
      const remedy = wanted.includes('string') ? asText(data, spelling, parentSchema?.['unit']) : ''
      return `must be ${wanted.map(withArticle).join(' or ')}, not ${spelling ?? kindOf(data)}${remedy}`
    }
    case 'enum':
      return `must be one of ${params.allowedValues.map(shown).join(', ')}, not ${spelling ?? shown(data)}`
    case 'pattern':
      return `must be ${parentSchema?.['form']}, not ${shown(data)}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} entries`
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}, not ${spelling ?? shown(data)}`
    case 'uniqueItems':
      return `must not hold the same entry twice (${params.j} and ${params.i})`
    default:
      return message ?? `breaks the rule "${keyword}"`
  }
}

/** Says what to write if a text is required and a number or boolean was given. */
function asText(data: unknown, spelling: string | undefined, unit: string | undefined): string {
  if (spelling === undefined) return ''
  return unit !== undefined && typeof data === 'number' && data >= 0
    ? `; write ${spelling}${unit}`
    : `; put it in quotes: "${spelling}"`
}

function placeOf(pointer: string): string {
  return pointer === '' ? 'the whole file' : shownPointer(pointer)
}

const articles: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'empty',
}

function withArticle(type: string): string {
  return articles[type] ?? type
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return shown(value)
}

/** Returns a value as it is in the file, shortened if it is long. */
function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const longest = 60

function byPlace(a: Position | undefined, b: Position | undefined): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0)
}
