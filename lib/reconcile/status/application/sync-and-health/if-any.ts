import { optional } from '../../../../object.ts'

/** Returns a property of a status that is a list. What there is none of is left out. */
export function ifAny<Name extends string, One>(
  name: Name,
  all: readonly One[],
): { readonly [name in Name]?: readonly One[] } {
  return optional(name, all.length === 0 ? undefined : all)
}
