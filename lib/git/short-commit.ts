import { Failure } from '../errors.ts'
import type { Objects } from './objects/object.ts'

/** Whether a ref may be an abbreviated commit. Git's own abbreviations have at least seven digits. */
export function isShortCommit(ref: string): boolean {
  return /^[0-9a-f]{7,39}$/.test(ref)
}

/** Returns the commits among objects whose names begin with a prefix. */
export function commitsStartingWith(objects: Objects, prefix: string): readonly string[] {
  return objects.startingWith(prefix).filter(oid => objects.find(oid)?.type === 'commit')
}

/**
 * Returns the only commit whose name begins with a prefix; undefined if there is none. Fails with `ref-ambiguous` if
 * there are several. `where` is for messages.
 */
export function onlyCommit(prefix: string, commits: readonly string[], where: string): string | undefined {
  const [only, ...others] = [...new Set(commits)].sort()
  if (others.length === 0) return only
  const shown = [only, ...others.slice(0, 4)].join(', ')
  const more = others.length > 4 ? `, and ${others.length - 4} more` : ''
  throw new Failure('ref-ambiguous', `${where}: several commits begin with "${prefix}": ${shown}${more}`)
}
