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

/** Returns the value without the member that a JSON pointer names. */
export function leaveOut(value: unknown, pointer: string): unknown {
  return without(value, keysOf(pointer))
}

function without(value: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === key ? without(item, rest) : item))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== key || rest.length > 0)
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === key ? without(member, rest) : member]),
  )
}
