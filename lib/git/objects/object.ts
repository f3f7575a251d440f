import { createHash } from 'node:crypto'
import { Failure } from '../../errors.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** An object, or the size of one that is too large to be held in memory (G24). */
export type GitObject =
  | { readonly type: ObjectType; readonly content: Buffer }
  | { readonly type: 'oversized'; readonly size: number }

/** An object that is in no repository yet. */
export type NewObject = { readonly type: ObjectType; readonly oid: string; readonly content: Buffer }

/** Objects by name. Reading a damaged one fails with `repository-corrupt`. */
export type Objects = {
  find(oid: string): GitObject | undefined
  /** Returns the names that begin with these digits, two at least, in no order. */
  startingWith(prefix: string): readonly string[]
}

/** Returns the name of an object: the SHA-1 of its type, size and content, in hex. */
export function objectName(type: ObjectType, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.byteLength}\0`).update(content).digest('hex')
}

/** Whether an error is a failure with `repository-corrupt`. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof Failure && error.code === 'repository-corrupt'
}

/** Returns the failure for an object, or a file with objects, that cannot be read. */
export function corrupt(where: string, what: string, cause?: unknown): Failure {
  return new Failure('repository-corrupt', `${where}: ${what}`, { cause })
}
