import type { Position } from '../errors.ts'
import { onceFor } from '../memo/once-for.ts'
import { offsetWithin } from './within-text.ts'

/** A parsed JSON or YAML file that knows where each of its values is. */
export type Document = {
  readonly file: string
  readonly value: unknown
  /** The cost of reading it: tokens of YAML, values of JSON. */
  readonly tokens: number
  /** Returns where the value at a JSON pointer begins. For a place that does not exist, it is the nearest parent. */
  position(pointer: string): Position
  /** Returns where the key of the value at a JSON pointer is; `position` if there is no such key. */
  keyPosition(pointer: string): Position
  /** Returns where a character of the text at a JSON pointer is, by its offset in that text; `position` for no text. */
  positionWithin(pointer: string, offset: number): Position
  /** Returns how the number or boolean at a JSON pointer is written: `0022`, `1.10`; undefined for anything else. */
  spelling(pointer: string): string | undefined
}

/**
 * The place of a value in the text: offsets of the value and its key, the spelling of a number or boolean, and the
 * places of its members.
 */
export type ValuePlace = {
  readonly offset: number
  readonly keyOffset?: number
  readonly spelling?: string
  readonly children?: readonly ValuePlace[]
  /** The keys of an object, in the order of `children`. */
  readonly keys?: readonly string[]
}

/** A value together with its place. */
export type Located = { readonly value: unknown; readonly place: ValuePlace }

/** The text of a file. `locate` returns line and column of an offset. */
export type FileText = { readonly text: string; readonly locate: (offset: number) => Position }

/** Creates the document of what a parser read. */
export function createDocument(
  file: string,
  { value, place }: Located,
  { text, locate }: FileText,
  tokens: number,
): Document {
  return {
    file,
    value,
    tokens,
    position: pointer => locate(nearest(place, pointer).offset),
    keyPosition(pointer) {
      const { offset, keyOffset } = nearest(place, pointer)
      return locate(keyOffset ?? offset)
    },
    positionWithin(pointer, offset) {
      const start = nearest(place, pointer).offset
      const within = keysOf(pointer).reduce<unknown>(memberOf, value)
      return locate(typeof within === 'string' ? offsetWithin(text, start, within, offset) : start)
    },
    spelling: pointer => at(place, pointer)?.spelling,
  }
}

/** Returns the place of an object with its members. Two lists take a third of the memory of a map with a few keys. */
export function objectPlace(offset: number, members: ReadonlyMap<string, ValuePlace>): ValuePlace {
  return { offset, keys: [...members.keys()], children: [...members.values()] }
}

/** Returns the JSON pointer to a member or element of what `parent` points to. */
export function pointerTo(parent: string, key: string | number): string {
  const text = String(key)
  // Hardly a key needs an escape, and every place that is looked at has a pointer.
  return `${parent}/${/[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text}`
}

/**
 * Returns a JSON pointer as messages show it. A key that is empty or holds a slash or a tilde stands in quotes as it is
 * written, and not in the escapes of JSON pointers: `/policy/applications/"prod/shop"`.
 */
export function shownPointer(pointer: string): string {
  return keysOf(pointer)
    .map(key => (key === '' || /[/~]/.test(key) ? `/${JSON.stringify(key)}` : `/${key}`))
    .join('')
}

function nearest(root: ValuePlace, pointer: string): ValuePlace {
  let place = root
  for (const key of keysOf(pointer)) {
    const child = childOf(place, key)
    if (child === undefined) return place
    place = child
  }
  return place
}

function at(root: ValuePlace, pointer: string): ValuePlace | undefined {
  return keysOf(pointer).reduce<ValuePlace | undefined>((place, key) => place && childOf(place, key), root)
}

/** Returns the member or element of a value; undefined if there is none. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.getOwnPropertyDescriptor(value, key)?.value
}

/** Returns the keys that a JSON pointer names, from the root on. */
export function keysOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function childOf({ children, keys }: ValuePlace, key: string): ValuePlace | undefined {
  return children?.[keys === undefined ? Number(key) : indexIn(keys, key)]
}

/** A map of a few keys takes more memory than it saves time. An object may have a hundred thousand. */
function indexIn(keys: readonly string[], key: string): number {
  return keys.length <= fewKeys ? keys.indexOf(key) : (indexesOf(keys).get(key) ?? -1)
}

const fewKeys = 32
const indexesOf = onceFor(
  (keys: readonly string[]): ReadonlyMap<string, number> => new Map(keys.map((key, index) => [key, index])),
)
