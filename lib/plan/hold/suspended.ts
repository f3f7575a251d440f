import type { DesiredState } from '../../state/application/desired.ts'
import { requiring } from '../../state/application/requiring.ts'
import type { Rules } from './hold.ts'

/**
 * Adds to the applications that are suspended those that require one of them, directly or by way of others: they are left
 * alone, too (G14). Whatever is suspended by itself keeps its own reason.
 */
export function withRequiring(
  { applications }: Pick<DesiredState, 'applications'>,
  suspended: Rules['suspended'],
): Rules['suspended'] {
  // All of them are suspended then.
  if (suspended.size === 0 || suspended.has('*')) return suspended
  const dependents = requiring(applications)
  const all = new Map(suspended)
  const cause = new Map([...suspended.keys()].map(name => [name, name]))
  // What is added comes up in this loop, too.
  for (const [one, root] of cause)
    for (const { name } of dependents.get(one) ?? []) {
      const found = suspended.get(root)
      if (found === undefined || all.has(name)) continue
      cause.set(name, root)
      all.set(name, { ...found, reason: `requires ${root}, which is suspended: ${found.reason}` })
    }
  return all
}
