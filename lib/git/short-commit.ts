import { Failure } from '../errors.ts'
import type { Objects } from './objects/object.ts'

/** Whether a ref may be the beginning of a commit's name: seven digits at least, as git itself shortens them. */
export function isShortCommit(ref: string): boolean {
  return /^[0-9a-f]{7,39}$/.test(ref)
}

/** The commits among objects whose names begin like this. */
export function commitsStartingWith(objects: Objects, prefix: string): readonly string[] {
  return objects.startingWith(prefix).filter(oid => objects.find(oid)?.type === 'commit')
}

/**
 * The one commit that is meant by the beginning of its name, undefined where none is; `where` is for messages. Fails
 * with `ref-ambiguous` when several begin like that.
 */
export function onlyCommit(prefix: string, commits: readonly string[], where: string): string | undefined {
  const [only, ...others] = [...new Set(commits)].sort()
  if (others.length === 0) return only
  const shown = [only, ...others.slice(0, 4)].join(', ')
  const more = others.length > 4 ? `, and ${others.length - 4} more` : ''
  throw new Failure('ref-ambiguous', `${where}: several commits begin with "${prefix}": ${shown}${more}`)
}
