import { Failure } from '../errors.ts'
import type { Row } from './database.ts'

/** A column that always holds text. */
export function text(row: Row, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : unexpected(column, value)
}

/** A column that always holds a number. */
export function integer(row: Row, column: string): number {
  const value = row[column]
  return typeof value === 'number' ? value : unexpected(column, value)
}

/** A column with text, or with nothing. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column)
}

/** A column with a number, or with nothing. */
export function optionalInteger(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column)
}

/** A column that holds one of these words. */
export function word<T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = text(row, column)
  return words.find(known => known === value) ?? unexpected(column, value)
}

/** `{[name]: value}`, or nothing when there is no value: what an optional field is spread from. */
export function optional<K extends string, T>(name: K, value: T | undefined): { readonly [name in K]?: T } {
  const one: { [name in K]?: T } = {}
  if (value !== undefined) one[name] = value
  return one
}

function unexpected(column: string, value: unknown): never {
  throw new Failure('journal-corrupt', `the journal's column ${column} holds ${JSON.stringify(value)}`)
}
