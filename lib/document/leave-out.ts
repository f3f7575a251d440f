import { keysOf, memberOf, pointerTo } from './document.ts'

/** Returns the innermost member of an object that contains a place; undefined if only the whole document does. */
export function memberAt(root: unknown, pointer: string): string | undefined {
  const keys = keysOf(pointer)
  for (let length = keys.length; length > 0; length -= 1) {
    const parent = keys.slice(0, length - 1).reduce(memberOf, root)
    if (!Array.isArray(parent)) return keys.slice(0, length).reduce(pointerTo, '')
  }
  return undefined
}

/** Returns the value without the members that JSON pointers name. */
export function leaveOut(value: unknown, pointers: readonly string[]): unknown {
  return without(value, pointers.map(keysOf))
}

/** Goes through each object once, because many pointers may lead into one with very many members. */
function without(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value
  const byKey = Map.groupBy(paths, ([key = '']) => key)
  const inner = (key: string, member: unknown) =>
    without(
      member,
      (byKey.get(key) ?? []).map(path => path.slice(1)),
    )
  if (Array.isArray(value)) return value.map((item: unknown, index) => inner(String(index), item))
  const isLeftOut = (key: string) => byKey.get(key)?.some(({ length }) => length === 1) === true
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (isLeftOut(key) ? [] : [[key, inner(key, member)]])),
  )
}
