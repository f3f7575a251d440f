import { keyOf } from '../../../plan/change/change.ts'
import type { DiffResult } from '../../../plan/compare/diff.ts'

/**
 * Returns the services of an application that a version leaves as they were, once all others have that version; none
 * before that. They are of that version from then on, whatever their containers are labelled with: the next one may be
 * allowed to follow this one only (A42). Pure.
 * @param done the keys of the services that have got it since the site was compared
 */
export function leftAsWas(
  { differences, inSync, undecided }: DiffResult,
  application: string,
  done: ReadonlySet<string>,
): readonly { readonly service: string; readonly target: string }[] {
  const isOwn = (one: { readonly application: string }) => one.application === application
  const own = differences.filter(isOwn)
  const isLeft = own.some(one => one.kind !== 'orphaned' && one.kind !== 'drifted' && !done.has(keyOf(one)))
  // What is only repaired was as wanted before, too.
  const repaired = own.filter(({ kind }) => kind === 'drifted')
  return undecided.some(isOwn) || isLeft ? [] : [...inSync.filter(isOwn), ...repaired]
}
