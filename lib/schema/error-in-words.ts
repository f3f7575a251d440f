import type { ErrorObject } from 'ajv'
import { type Document, pointerTo, shownPointer } from '../document/document.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { Problem } from '../errors.ts'
import { unknownKey } from './unknown-key.ts'

/** Returns what an error of a validator says, with its place in the file. */
export function errorInWords(error: ErrorObject, document: Document, code: ErrorCode): Problem {
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
      return `must be ${params.allowedValues.length === 1 ? '' : 'one of '}${params.allowedValues.map(shown).join(', ')}, not ${spelling ?? shown(data)}`
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
  // What is no finite number is no text that anything could be made of, either.
  if (spelling === undefined || (typeof data === 'number' && !Number.isFinite(data))) return ''
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
  string: 'a text',
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
