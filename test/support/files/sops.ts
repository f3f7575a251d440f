import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { armor, Encrypter } from 'age-encryption'

/**
 * Encrypts as SOPS does, from the description of its format and sharing nothing with lib/secrets: what is encrypted
 * and what the MAC counts is said by the test, not worked out from rules.
 */
export type Plan = {
  readonly format: 'yaml' | 'json'
  /** Age recipients, `age1…`. */
  readonly recipients?: readonly string[]
  /** Encrypts the data key; the npm package `age-encryption` unless told otherwise. */
  readonly wrap?: (dataKey: Uint8Array, recipient: string) => Promise<string>
  /** Whether what stands below these keys is encrypted; everything is, unless told otherwise. */
  readonly encrypts?: (keys: readonly string[]) => boolean
  /** Only what is encrypted counts for the MAC. */
  readonly macOnlyEncrypted?: boolean
  /** Put over the metadata: `{ encrypted_regex: '^data$' }`. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Maps keep the order of keys that are numbers; a key that begins with `#` is a comment in a mapping. */
export type Node = string | number | boolean | null | Comment | readonly Node[] | Mapping
export type Mapping = { readonly [key: string]: Node } | ReadonlyMap<string, Node>
export type Comment = { readonly comment: symbol; readonly text: string }

const commentMark = Symbol('comment')

/** A comment between the elements of a list: SOPS keeps it as an element. */
export function comment(text: string): Comment {
  return { comment: commentMark, text }
}

export async function encryptSops(tree: Mapping, plan: Plan): Promise<string> {
  const dataKey = randomBytes(32)
  const lastmodified = '2024-05-21T15:21:04Z'
  const hash = createHash('sha512')
  if (plan.macOnlyEncrypted)
    hash.update(Buffer.from('8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69', 'hex'))
  const encrypted = encryptMapping(tree, [], (value, keys) => {
    const encrypts = plan.encrypts?.(keys) ?? true
    if (encrypts || !plan.macOnlyEncrypted) hash.update(countedOf(value))
    return encrypts ? seal(value, dataKey, `${keys.join(':')}:`) : plainOf(value)
  })
  const mac = hash.digest('hex').toUpperCase()
  const wrap = plan.wrap ?? wrapWithLibrary
  const age = (plan.recipients ?? []).map(async recipient => ({
    recipient,
    enc: await wrap(dataKey, recipient),
  }))
  const metadata = {
    age: await Promise.all(age),
    lastmodified,
    mac: seal(mac, dataKey, lastmodified),
    ...(plan.macOnlyEncrypted ? { mac_only_encrypted: true } : {}),
    version: '3.9.0',
    ...plan.metadata,
  }
  const whole: readonly Line[] = [...encrypted, { key: 'sops', value: linesOf(metadata) }]
  return plan.format === 'yaml' ? `${yaml(whole, '')}\n` : `${JSON.stringify(json(whole), null, '\t')}\n`
}

async function wrapWithLibrary(dataKey: Uint8Array, recipient: string): Promise<string> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return armor.encode(await encrypter.encrypt(dataKey))
}

type Scalar = string | number | boolean
type Encrypt = (value: Scalar | Comment, keys: readonly string[]) => Scalar

/** What is written: a mapping as its lines, comments among them. */
type Written = Scalar | null | readonly Line[] | { readonly items: readonly Written[] }
type Line =
  | { readonly key: string; readonly value: Written }
  | { readonly comment: string }
  | { readonly literal: string; readonly text: string }

function encryptMapping(mapping: Mapping, keys: readonly string[], encrypt: Encrypt): readonly Line[] {
  return entriesOf(mapping).map(([key, value]): Line => {
    if (key.startsWith('#')) return { comment: String(encrypt(comment(key.slice(1)), keys)) }
    return { key, value: encryptNode(value, [...keys, key], encrypt) }
  })
}

function encryptNode(node: Node, keys: readonly string[], encrypt: Encrypt): Written {
  if (node === null) return null
  if (isList(node)) return { items: node.map(item => encryptNode(item, keys, encrypt)) }
  if (isComment(node) || typeof node !== 'object') return encrypt(node, keys)
  return encryptMapping(node, keys, encrypt)
}

function seal(value: Scalar | Comment, key: Uint8Array, place: string): string {
  const [type, text] = typedOf(value)
  if (text === '') return ''
  const iv = randomBytes(32)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(place))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const [data64, iv64, tag64] = [data, iv, cipher.getAuthTag()].map(bytes => bytes.toString('base64'))
  return `ENC[AES256_GCM,data:${data64},iv:${iv64},tag:${tag64},type:${type}]`
}

function typedOf(value: Scalar | Comment): readonly [string, string] {
  if (typeof value === 'object') return ['comment', value.text]
  if (typeof value === 'string') return ['str', value]
  if (typeof value === 'boolean') return ['bool', value ? 'True' : 'False']
  return [Number.isInteger(value) ? 'int' : 'float', String(value)]
}

/** Comments never count. */
function countedOf(value: Scalar | Comment): string {
  return typeof value === 'object' ? '' : typedOf(value)[1]
}

function plainOf(value: Scalar | Comment): Scalar {
  return typeof value === 'object' ? value.text : value
}

function linesOf(metadata: Readonly<Record<string, unknown>>): readonly Line[] {
  return Object.entries(metadata).map(([key, value]): Line => {
    if (typeof value === 'string' && value.includes('\n')) return { literal: key, text: value }
    return { key, value: writtenOf(value) }
  })
}

function writtenOf(value: unknown): Written {
  if (Array.isArray(value)) return { items: value.map(writtenOf) }
  if (typeof value === 'object' && value !== null) return linesOf({ ...value })
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}

function yaml(lines: readonly Line[], indent: string): string {
  return lines
    .map(line => {
      if ('comment' in line) return `${indent}#${line.comment}`
      if ('literal' in line)
        return `${indent}${line.literal}: |\n${line.text.trimEnd().replaceAll(/^/gm, `${indent}    `)}`
      return `${indent}${JSON.stringify(line.key)}:${yamlValue(line.value, indent)}`
    })
    .join('\n')
}

function yamlValue(value: Written, indent: string): string {
  const deeper = `${indent}    `
  if (value === null || typeof value !== 'object') return ` ${JSON.stringify(value)}`
  if ('items' in value)
    return value.items.length === 0 ? ' []' : value.items.map(item => `\n${yamlItem(item, deeper)}`).join('')
  return value.length === 0 ? ' {}' : `\n${yaml(value, deeper)}`
}

function yamlItem(item: Written, indent: string): string {
  if (item === null || typeof item !== 'object') return `${indent}- ${JSON.stringify(item)}`
  const nested = 'items' in item ? yamlValue(item, indent).slice(1) : yaml(item, `${indent}  `)
  return `${indent}-${nested.slice(indent.length + 1)}`
}

function json(value: Written): unknown {
  if (value === null || typeof value !== 'object') return value
  if ('items' in value) return value.items.map(json)
  return Object.fromEntries(
    value.flatMap((line): readonly (readonly [string, unknown])[] => {
      if ('comment' in line) return []
      return 'literal' in line ? [[line.literal, line.text]] : [[line.key, json(line.value)]]
    }),
  )
}

function entriesOf(mapping: Mapping): readonly (readonly [string, Node])[] {
  return isMap(mapping) ? [...mapping] : Object.entries(mapping)
}

function isMap(mapping: Mapping): mapping is ReadonlyMap<string, Node> {
  return mapping instanceof Map
}

function isList(node: Node): node is readonly Node[] {
  return Array.isArray(node)
}

function isComment(node: Node): node is Comment {
  return typeof node === 'object' && node !== null && 'comment' in node && node.comment === commentMark
}
