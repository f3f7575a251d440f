import type { Alias, ParsedNode, YAMLError, YAMLMap, YAMLSeq } from 'yaml'
import { isAlias, isMap, isScalar, isSeq, Lexer, parseDocument } from 'yaml'
import type { Position, Problem } from '../errors.ts'
import { InvalidInput } from '../errors.ts'
import { limits } from '../limits.ts'
import { largestOf, sumOf } from '../numbers.ts'
import type { Document, Located, ValuePlace } from './document.ts'
import { createDocument, objectPlace } from './document.ts'
import { locator } from './locate.ts'
import {
  duplicateKey,
  type Excess,
  setOwn,
  tooDeep,
  tooDense,
  tooLong,
  tooManyRepeated,
  tooMuchText,
} from './members.ts'

/**
 * Reads one YAML 1.2 document: core schema, no tags of its own, no merge keys, no key twice in one mapping. Fails with
 * `InvalidInput` (`yaml-invalid`, `duplicate-key`, `document-too-complex`). Size, depth and the expansion of aliases
 * are limited (G24).
 */
export function parseYaml(file: string, text: string): Document {
  const locate = locator(file, text)
  const reading: Reading = { anchors: new Map(), problems: [], values: 0, characters: 0, locate }
  if (text.length > limits.documentCharacters) stop(reading, tooLong, 0)
  const tokens = countTokens(reading, text)
  const parsed = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  })
  if (parsed.directives.yaml.version !== '1.2')
    reading.problems.push({ code: 'yaml-invalid', message: 'only YAML 1.2 is read', position: locate(0) })
  for (const problem of problemsOf([...parsed.errors, ...parsed.warnings], locate))
    reading.problems.push(problem)
  failIfAny(reading)
  const root = readNode(reading, parsed.contents, 0, 0)
  failIfAny(reading)
  return createDocument(file, root, { text, locate }, tokens)
}

const mostFaults = 20

/** Counts what makes a parser's tree large before there is a tree. */
function countTokens(reading: Reading, text: string): number {
  let tokens = 0
  let offset = 0
  for (const token of new Lexer().lex(text)) {
    tokens += 1
    if (tokens > limits.yamlTokens) stop(reading, tooDense, Math.min(offset, text.length))
    if (!marks.includes(token)) offset += token.length
  }
  return tokens
}

/** Marks that the lexer puts between tokens. */
const marks: readonly string[] = ['\u0002', '\u0018', '\u001f']

type Reading = {
  readonly anchors: Map<string, Measured>
  readonly problems: Problem[]
  /** Values read so far, including those that aliases repeat. */
  values: number
  /** Characters of texts and keys read so far, including those that aliases repeat. */
  characters: number
  readonly locate: (offset: number) => Position
}

/** A value with its numbers of values and characters, and its levels of collections. */
type Measured = Located & { readonly size: number; readonly characters: number; readonly height: number }

function readNode(reading: Reading, node: ParsedNode | null, depth: number, offset: number): Measured {
  if (node === null) return { value: null, place: { offset }, size: 1, characters: 0, height: 0 }
  const measured = isAlias(node)
    ? readAlias(reading, node.source, node.range[0])
    : readContent(reading, node, depth)
  if (depth + measured.height > limits.documentDepth) stop(reading, tooDeep, node.range[0])
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, measured)
  return measured
}

function readContent(reading: Reading, node: Exclude<ParsedNode, Alias.Parsed>, depth: number): Measured {
  const characters = isScalar(node) && typeof node.value === 'string' ? node.value.length : 0
  count(reading, { size: 1, characters }, node.range[0])
  if (depth > limits.documentDepth) stop(reading, tooDeep, node.range[0])
  if (isMap(node)) return readMap(reading, node, depth)
  if (isSeq(node)) return readSeq(reading, node, depth)
  const { value, source } = node
  const isText = typeof value === 'string' || value === null || source === undefined
  return {
    value,
    place: { offset: node.range[0], ...(isText ? {} : { spelling: source }) },
    size: 1,
    characters,
    height: 0,
  }
}

function readMap(reading: Reading, map: YAMLMap.Parsed, depth: number): Measured {
  const value: Record<string, unknown> = {}
  const children = new Map<string, ValuePlace>()
  let size = 1
  let characters = 0
  let height = 0
  for (const { key: keyNode, value: valueNode } of map.items) {
    const key = isScalar(keyNode) ? String(keyNode.value) : ''
    const keyOffset = keyNode.range[0]
    const first = children.get(key)?.keyOffset
    if (first !== undefined)
      reading.problems.push(duplicateKey(key, reading.locate(keyOffset), reading.locate(first)))
    const member = readNode(reading, valueNode, depth + 1, keyOffset)
    setOwn(value, key, member.value)
    children.set(key, { ...member.place, keyOffset })
    size += member.size
    characters += key.length + member.characters
    height = Math.max(height, member.height)
  }
  return { value, place: objectPlace(map.range[0], children), size, characters, height: height + 1 }
}

function readSeq(reading: Reading, seq: YAMLSeq.Parsed, depth: number): Measured {
  const items = seq.items.map(item => readNode(reading, item, depth + 1, seq.range[0]))
  return {
    value: items.map(item => item.value),
    place: { offset: seq.range[0], children: items.map(item => item.place) },
    size: 1 + sumOf(items, item => item.size),
    characters: sumOf(items, item => item.characters),
    height: 1 + largestOf(items, item => item.height),
  }
}

function readAlias(reading: Reading, name: string, offset: number): Measured {
  const anchored = reading.anchors.get(name)
  if (anchored === undefined) {
    const message = `no anchor &${name} stands before the alias *${name}`
    reading.problems.push({ code: 'yaml-invalid', message, position: reading.locate(offset) })
    return { value: null, place: { offset }, size: 1, characters: 0, height: 0 }
  }
  count(reading, anchored, offset)
  return { ...anchored, place: { ...anchored.place, offset } }
}

function count(
  reading: Reading,
  { size, characters }: Pick<Measured, 'size' | 'characters'>,
  offset: number,
): void {
  reading.values += size
  reading.characters += characters
  if (reading.values > limits.documentValues) stop(reading, tooManyRepeated, offset)
  if (reading.characters > limits.unfoldedCharacters) stop(reading, tooMuchText, offset)
}

function stop(reading: Reading, excess: Excess, offset: number): never {
  throw new InvalidInput([{ ...excess, position: reading.locate(offset) }])
}

function failIfAny({ problems: [first, ...more] }: Reading): void {
  if (first !== undefined) throw new InvalidInput([first, ...more])
}

function problemsOf(faults: readonly YAMLError[], locate: (offset: number) => Position): readonly Problem[] {
  const exhausted = faults.find(fault => fault.code === 'RESOURCE_EXHAUSTION')
  const shown = exhausted === undefined ? faults.slice(0, mostFaults) : [exhausted]
  return shown.map(fault => ({ ...sayingOf(fault), position: locate(fault.pos[0]) }))
}

function sayingOf({ code, message }: YAMLError): Excess {
  if (code === 'RESOURCE_EXHAUSTION') return tooDeep
  if (code === 'MULTIPLE_DOCS')
    return { code: 'yaml-invalid', message: 'a second document begins here; a file holds only one' }
  if (code === 'NON_STRING_KEY') return { code: 'yaml-invalid', message: 'a key must be a plain text' }
  if (code === 'BAD_ALIAS')
    return { code: 'yaml-invalid', message: `${message}; put a text that begins with "*" or "&" in quotes` }
  return { code: 'yaml-invalid', message }
}
