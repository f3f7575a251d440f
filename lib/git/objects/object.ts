import { createHash } from 'node:crypto'
import { Failure } from '../../errors.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** An object, or the size of one that is larger than we hold in memory (G24). */
export type GitObject =
  | { readonly type: ObjectType; readonly content: Buffer }
  | { readonly type: 'oversized'; readonly size: number }

/** Objects by name. A damaged one fails with `repository-corrupt`. */
export type Objects = {
  find(oid: string): GitObject | undefined
  /** The names of all that begin with these digits, two at least, in no order. */
  startingWith(prefix: string): readonly string[]
}

/** The name of an object: SHA-1 of its type, size and content, in hex. */
export function nameOf(type: ObjectType, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.byteLength}\0`).update(content).digest('hex')
}

/** Whether it was thrown for what `corrupt` is thrown for. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof Failure && error.code === 'repository-corrupt'
}

/** What is thrown when an object or a file with objects cannot be made sense of. */
export function corrupt(where: string, what: string, cause?: unknown): Failure {
  return new Failure('repository-corrupt', `${where}: ${what}`, { cause })
}
