import type { ErrorObject } from 'ajv'
import type { Document } from './document/document.ts'
import { pointerTo } from './document/document.ts'
import type { ErrorCode, Position, Problem } from './errors.ts'
import { nearest } from './nearest.ts'
import { application } from './schema/application.gen.ts'
import { config } from './schema/config.gen.ts'
import { manifest } from './schema/manifest.gen.ts'

/** The schemas under schemas/, by what they describe. */
export type SchemaName = 'manifest' | 'application' | 'config'

/**
 * Everything in a document that its schema does not allow, in the order of the file; one problem per mistake, each
 * with its JSON pointer. An unknown key comes with the nearest known one; keys that begin with `x-` are free (D2).
 */
export function checkSchema(name: SchemaName, document: Document): readonly Problem[] {
  const validate = validators[name]
  if (validate(document.value)) return []
  return withoutConsequences(validate.errors ?? [])
    .slice(0, mostProblems)
    .map(error => problemOf(error, document, codes[name]))
    .sort((a, b) => byPlace(a.position, b.position))
}

const mostProblems = 100

const codes = {
  manifest: 'manifest-invalid',
  application: 'application-invalid',
  config: 'config-invalid',
} as const satisfies Record<SchemaName, ErrorCode>

/** Says whether a value keeps the rules; if not, `errors` says what of it does not, until it is called again. */
type Validator = { (value: unknown): boolean; readonly errors?: readonly ErrorObject[] | null }

/** What schemas/generate.ts made of the schemas. */
const validators: Readonly<Record<SchemaName, Validator>> = { manifest, application, config }

/** A misspelled key that is required would be two problems: the key that is missing is left out then. */
function withoutConsequences(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const meant = new Set(
    errors
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map(error => pointerTo(error.instancePath, meantBy(error) ?? '')),
  )
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'required' || !meant.has(pointerTo(instancePath, params.missingProperty)),
  )
}

/** The known key that an unknown one was most likely meant to be. */
function meantBy({ params, parentSchema }: ErrorObject): string | undefined {
  return nearest(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))
}

function problemOf(error: ErrorObject, document: Document, code: ErrorCode): Problem {
  const { instancePath: parent, params } = error
  switch (error.keyword) {
    case 'required':
      return {
        code,
        message: `${pointerTo(parent, params.missingProperty)} is required`,
        position: document.position(parent),
      }
    case 'additionalProperties':
      return unknownKey(error, document, code)
    case 'propertyNames':
      return {
        code,
        message: `${pointerTo(parent, params.propertyName)} is no name that is allowed here`,
        position: document.keyPosition(pointerTo(parent, params.propertyName)),
      }
    default:
      return { code, message: `${placeOf(parent)} ${sayingOf(error)}`, position: document.position(parent) }
  }
}

function unknownKey(error: ErrorObject, document: Document, code: ErrorCode): Problem {
  const pointer = pointerTo(error.instancePath, error.params.additionalProperty)
  const meant = meantBy(error)
  const question = meant === undefined ? '' : `; did you mean "${meant}"?`
  return {
    code,
    message: `${pointer} is not a known key${question}`,
    position: document.keyPosition(pointer),
  }
}

function sayingOf({ keyword, params, data, schema, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().map(withArticle).join(' or ')}, not ${kindOf(data)}`
    case 'enum':
      return `must be one of ${params.allowedValues.map(shown).join(', ')}, not ${shown(data)}`
    case 'pattern':
      return `must not be ${shown(data)}: ${parentSchema?.description ?? `it has to match ${schema}`}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} entries`
    case 'maxItems':
      return `must have at most ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}, not ${shown(data)}`
    case 'uniqueItems':
      return `must not hold the same entry twice (${params.j} and ${params.i})`
    default:
      return message ?? `breaks the rule "${keyword}"`
  }
}

function placeOf(pointer: string): string {
  return pointer === '' ? 'the whole file' : pointer
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

/** A value as it stands in the file, cut where it is long. */
function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const longest = 60

function byPlace(a: Position | undefined, b: Position | undefined): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0)
}
