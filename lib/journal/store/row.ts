import { Failure } from '../../errors.ts'
import type { Row } from './database.ts'

/** Reads a column that always contains text. Throws if it does not. */
export function text(row: Row, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : unexpected(column, value)
}

/** Reads a column that always contains a number. Throws if it does not. */
export function integer(row: Row, column: string): number {
  const value = row[column]
  return typeof value === 'number' ? value : unexpected(column, value)
}

/** Reads a column that contains text or NULL. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column)
}

/** Reads a column that contains a number or NULL. */
export function optionalInteger(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column)
}

/** Reads a column that contains one of these words. Throws if it does not. */
export function word<T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = text(row, column)
  return words.find(known => known === value) ?? unexpected(column, value)
}

function unexpected(column: string, value: unknown): never {
  throw new Failure('journal-corrupt', `the journal's column ${column} holds ${JSON.stringify(value)}`)
}
