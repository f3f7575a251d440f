import { isMap, isNode, isScalar, parseDocument } from 'yaml'

/**
 * Returns a YAML text in which a member of its outermost mapping has another text as its value, in double quotes, and
 * everything else stays as it is, character by character. Undefined if there is no such member with a value.
 */
export function replaceYamlMember(text: string, name: string, value: string): string | undefined {
  const { contents } = parseDocument(text, { schema: 'core', version: '1.2', logLevel: 'error' })
  if (!isMap(contents)) return undefined
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === name)
  const range = isNode(pair?.value) ? pair.value.range : undefined
  if (!range) return undefined
  const [start] = range
  // The line break behind a text of several lines belongs to it.
  const end = start + text.slice(start, range[1]).trimEnd().length
  return `${text.slice(0, start)}${JSON.stringify(value)}${text.slice(end)}`
}
