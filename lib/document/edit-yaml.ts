import { isMap, isNode, isScalar, type Pair, parseDocument } from 'yaml'

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

/**
 * Returns a YAML text in which a member of its outermost mapping is written as these lines, with its key, or is not there
 * any more. A new one comes after the last of these others that is there, or else first. Everything else stays as it is,
 * character by character. Undefined if the mapping is not written with one member on each line.
 */
export function spliceYamlMember(
  text: string,
  name: string,
  lines: string | undefined,
  after: readonly string[] = [],
): string | undefined {
  const members = membersIn(text)
  if (members === undefined) return undefined
  const own = members.find(member => member.name === name)
  if (own === undefined && lines === undefined) return text
  const before = members.findLast(member => after.includes(member.name))
  const start = own?.start ?? before?.end ?? members[0]?.start ?? text.length
  const end = own?.end ?? start
  const isCut = start > 0 && !text.slice(0, start).endsWith('\n')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const written = lines === undefined ? '' : `${lines.trimEnd().replaceAll(/\r?\n/g, eol)}${eol}`
  return `${text.slice(0, start)}${isCut ? eol : ''}${written}${text.slice(end)}`
}

/** Returns the lines of a member of the outermost mapping of a YAML text, as they are written, with its key. */
export function yamlMember(text: string, name: string): string | undefined {
  const member = membersIn(text)?.find(one => one.name === name)
  return member && text.slice(member.start, member.end)
}

type Member = { readonly name: string; readonly start: number; readonly end: number }

/** Returns where the members stand, each with the comment behind it; undefined: not each begins a line. */
function membersIn(text: string): readonly Member[] | undefined {
  const { contents } = parseDocument(text, { schema: 'core', version: '1.2', logLevel: 'error' })
  if (contents === null) return []
  if (!isMap(contents)) return undefined
  const members = contents.items.flatMap(pair => memberOf(pair) ?? [])
  const areLines = members.every(({ start }) => start === 0 || text[start - 1] === '\n')
  return areLines && members.length === contents.items.length ? members : undefined
}

function memberOf({ key, value }: Pair): Member | undefined {
  const [start] = (isScalar(key) && key.range) || []
  const end = isNode(value) ? value.range?.[2] : undefined
  return start === undefined || end === undefined || !isScalar(key)
    ? undefined
    : { name: String(key.value), start, end }
}
