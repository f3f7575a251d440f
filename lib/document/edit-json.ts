import { type JsonNode, jsonNodes } from './json-nodes.ts'

/** A value in a text. */
export type InText = { readonly text: string; readonly node: JsonNode }

type Edit = { readonly start: number; readonly end: number; readonly text: string }

/**
 * Returns the text in which a value is the same as another one, which may come from another text. Only what differs is
 * replaced, and what takes its place is written as it was there, with the margin and the line breaks of here. All else
 * stays as it is, character by character.
 */
export function replaceJson(here: InText, there: InText): string {
  return applied(here.text, editsFor(here, there))
}

/**
 * Returns the text in which a list has one more element at an index, or an object one more member, written as it is in
 * another text.
 */
export function insertJson(here: InText, index: number, there: InText): string {
  const { text, node } = here
  const parts = partsOf(node)
  const [first] = parts
  const before = parts[index - 1]
  if (first === undefined) {
    const at = { start: node.start + 1, end: node.end - 1 }
    return applied(text, [{ ...at, text: written(here, node.start, there) }])
  }
  const space = text.slice(node.start + 1, first.start)
  const part = written(here, first.start, there)
  const at = before === undefined ? first.start : before.end
  const inserted = before === undefined ? `${part},${space}` : `,${space}${part}`
  return applied(text, [{ start: at, end: at, text: inserted }])
}

/** Returns the text in which a list or an object has no element or member at an index any more. */
export function removeJson({ text, node }: InText, index: number): string {
  const parts = partsOf(node)
  const [before, own, after] = [parts[index - 1], parts[index], parts[index + 1]]
  if (own === undefined) return text
  if (before !== undefined) return applied(text, [{ start: before.end, end: own.end, text: '' }])
  if (after !== undefined) return applied(text, [{ start: own.start, end: after.start, text: '' }])
  return applied(text, [{ start: node.start + 1, end: node.end - 1, text: '' }])
}

/**
 * Returns the text in which an object is as before and has one more member, written as it is in another text. It comes
 * after the last of these others that is there, or else first.
 */
export function insertJsonMember(here: InText, member: InText, after: readonly string[]): string {
  const names = [...(here.node.members?.keys() ?? [])]
  const last = after.findLast(name => names.includes(name))
  return insertJson(here, last === undefined ? 0 : names.indexOf(last) + 1, member)
}

/** Returns a member of an object in a text, with its key; undefined: it has none of that name. */
export function jsonMember(text: string, name: string): InText | undefined {
  const value = jsonNodes(text).members?.get(name)
  return value && { text, node: spanOf(value) }
}

/** Where the elements of a list stand, or the members of an object with their keys. */
function partsOf({ items, members }: JsonNode): readonly JsonNode[] {
  return items ?? [...(members?.values() ?? [])].map(spanOf)
}

function spanOf({ start, end, keyStart = start }: JsonNode): JsonNode {
  return { start: keyStart, end }
}

function editsFor(here: InText, there: InText): readonly Edit[] {
  const [now, then] = [here.node, there.node]
  if (now.members !== undefined && then.members !== undefined && haveSameKeys(now.members, then.members)) {
    const others = then.members
    return [...now.members].flatMap(([key, node]) => between(here, there, node, others.get(key)))
  }
  if (now.items !== undefined && then.items?.length === now.items.length) {
    const others = then.items
    return now.items.flatMap((node, index) => between(here, there, node, others[index]))
  }
  if (sliceOf(here) === sliceOf(there)) return []
  return [{ start: now.start, end: now.end, text: written(here, now.start, there) }]
}

function between(here: InText, there: InText, now: JsonNode, then: JsonNode | undefined): readonly Edit[] {
  return then === undefined ? [] : editsFor({ text: here.text, node: now }, { text: there.text, node: then })
}

function haveSameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every(key => other.has(key))
}

function sliceOf({ text, node }: InText): string {
  return text.slice(node.start, node.end)
}

/** Returns a value as it is written there, moved to the margin of a place here. Texts in JSON have no line breaks. */
function written(here: InText, at: number, there: InText): string {
  const margin = marginAt(there.text, there.node.start)
  const [first = '', ...rest] = sliceOf(there).split(/\r?\n/)
  const moved = rest.map(line => {
    const own = line.startsWith(margin) ? line.slice(margin.length) : line.trimStart()
    return `${marginAt(here.text, at)}${own}`
  })
  return [first, ...moved].join(here.text.includes('\r\n') ? '\r\n' : '\n')
}

/** Returns the blanks at the beginning of the line of a place. */
function marginAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((now, edit) => `${now.slice(0, edit.start)}${edit.text}${now.slice(edit.end)}`, text)
}
