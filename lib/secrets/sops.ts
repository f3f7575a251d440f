import { createHash, type Hash } from 'node:crypto'
import { type Document, pointerTo } from '../document/document.ts'
import { parseJson } from '../document/json.ts'
import { parseYaml } from '../document/yaml.ts'
import { Failure, InvalidInput, type Position } from '../errors.ts'
import { isRecord } from '../object.ts'
import { decryptDataKey, type Identities } from './age.ts'
import { type Metadata, type Rule, readMetadata } from './sops-metadata.ts'
import {
  type DecryptedValue,
  decryptValue,
  isEncrypted,
  plainValue,
  type SopsValue,
  tampered,
} from './sops-value.ts'
import { undecryptable } from './undecryptable.ts'

/**
 * Decrypts a SOPS document with age keys. The name of the file says whether it is YAML or JSON. Returns every text by
 * its name: a value `password` below `db` is `db/password`. Every value is bound to its place, and the MAC over all of
 * them is always checked. Fails with `secrets-undecryptable`, or with `secrets-tampered` if the data key was decrypted and
 * something is not as SOPS wrote it with that key. No error shows the content of the document (G16).
 */
export async function decryptSops(
  file: string,
  text: string,
  identities: Identities,
): Promise<ReadonlyMap<string, string>> {
  const document = parse(file, text)
  const { sops, ...tree } = isRecord(document.value) ? document.value : {}
  const metadata = readMetadata(sops)
  if (!metadata.ok) throw undecryptable(`${file}: ${metadata.reason}`)
  const dataKey = await decryptDataKey(file, metadata.value.recipients, identities)
  const reading: Reading = {
    document,
    dataKey,
    metadata: metadata.value,
    hash: createHash('sha512'),
    texts: new Map(),
    pointerCharacters: 0,
  }
  if (metadata.value.macOnlyEncrypted) reading.hash.update(onlyEncryptedMark)
  readObject(reading, tree, { keys: [], name: [], pointer: '' })
  checkMac(reading)
  return reading.texts
}

const longest = 1024 * 1024
const mostPointerCharacters = 8 * longest

/** SOPS hashes this first if only encrypted values count, so that the two kinds of MAC never agree. */
const onlyEncryptedMark = createHash('sha256').update('sops').digest()

type Reading = {
  readonly document: Document
  readonly dataKey: Uint8Array
  readonly metadata: Metadata
  readonly hash: Hash
  readonly texts: Map<string, string>
  /** Of all places so far. A long key stands in the place of everything below it. */
  pointerCharacters: number
}

/**
 * The place of a value: the keys that bind it, which leave out lists; its name, which includes them; and its JSON
 * pointer.
 */
type Place = { readonly keys: readonly string[]; readonly name: readonly string[]; readonly pointer: string }

/** The message of a parser may quote a secret, so only its place is kept. */
function parse(file: string, text: string): Document {
  if (text.length > longest) throw undecryptable(`${file}: longer than ${longest} characters`)
  try {
    return file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const { position, code } = error.problems[0] ?? { code: error.code }
    throw undecryptable(`${placeOf(file, position)}: cannot be read as ${languageOf(file)} (${code})`)
  }
}

function readObject(reading: Reading, object: Readonly<Record<string, unknown>>, place: Place): void {
  for (const key of inFileOrder(reading.document, Object.keys(object), place.pointer)) {
    const name = [...place.name, key]
    readAny(reading, object[key], {
      keys: [...place.keys, key],
      name,
      pointer: pointerTo(place.pointer, key),
    })
  }
}

/** A comment in a list is an element in the file but not in the list itself, so it gets no number. */
function readList(reading: Reading, list: readonly unknown[], place: Place): void {
  let number = 0
  for (const [index, item] of list.entries()) {
    const name = [...place.name, String(number)]
    const isValue = readAny(reading, item, { ...place, name, pointer: pointerTo(place.pointer, index) })
    if (isValue) number++
  }
}

/** Returns whether it was a value, and not a comment. `null` is neither encrypted nor hashed nor a secret. */
function readAny(reading: Reading, written: unknown, place: Place): boolean {
  reading.pointerCharacters += place.pointer.length
  if (reading.pointerCharacters > mostPointerCharacters)
    throw undecryptable(
      `${reading.document.file}: the keys on the way to its values have together more than ${mostPointerCharacters} characters`,
    )
  if (Array.isArray(written)) readList(reading, written, place)
  else if (isRecord(written)) readObject(reading, written, place)
  else if (typeof written === 'string' || typeof written === 'number' || typeof written === 'boolean')
    return readLeaf(reading, written, place)
  return true
}

function readLeaf(reading: Reading, written: string | number | boolean, place: Place): boolean {
  const { metadata, dataKey, hash, texts, document } = reading
  const encrypted = isToBeEncrypted(metadata.rule, written, place.keys)
  const value = encrypted ? decryptLeaf(written, dataKey, place.keys) : ok(plainValue(written))
  const name = place.name.join('/')
  if (!value.ok) {
    const message = `${at(document, place)}: the value of ${JSON.stringify(name)} ${value.reason}`
    throw value.isTampered ? new Failure('secrets-tampered', message) : undecryptable(message)
  }
  if (value.value.kind === 'comment') return false
  if (encrypted || !metadata.macOnlyEncrypted) hash.update(value.value.counted)
  if (texts.has(name))
    throw undecryptable(`${at(document, place)}: a second value has the name ${JSON.stringify(name)}`)
  texts.set(name, value.value.text)
  return true
}

/** With a rule by comments, a value that looks encrypted is encrypted. The MAC is checked in any case. */
function isToBeEncrypted(rule: Rule, written: unknown, keys: readonly string[]): boolean {
  switch (rule.kind) {
    case 'all-but':
      return !keys.some(rule.matches)
    case 'only':
      return keys.some(rule.matches)
    case 'as-written':
      return isEncrypted(written)
  }
}

function decryptLeaf(written: unknown, dataKey: Uint8Array, keys: readonly string[]): DecryptedValue {
  if (typeof written !== 'string') return tampered('is not encrypted, but must be')
  return decryptValue(written, dataKey, `${keys.join(':')}:`)
}

function checkMac({ document, dataKey, metadata, hash }: Reading): void {
  const mac = decryptValue(metadata.mac, dataKey, metadata.lastModified)
  const computed = hash.digest('hex').toUpperCase()
  if (mac.ok && mac.value.kind === 'text' && mac.value.text === computed) return
  throw new Failure(
    'secrets-tampered',
    `${document.file}: its MAC does not match: it was changed without SOPS after it was encrypted`,
  )
}

/** The MAC depends on the order in the file, but JavaScript puts numeric keys first. */
function inFileOrder(document: Document, keys: readonly string[], pointer: string): readonly string[] {
  const placed = keys.map(key => ({ key, ...document.keyPosition(pointerTo(pointer, key)) }))
  return placed
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .map(({ key }) => key)
}

function at(document: Document, { pointer }: Place): string {
  return placeOf(document.file, document.keyPosition(pointer))
}

function placeOf(file: string, position: Position | undefined): string {
  return position?.line === undefined ? file : `${file}:${position.line}:${position.column ?? 1}`
}

function languageOf(file: string): string {
  return file.endsWith('.json') ? 'JSON' : 'YAML 1.2'
}

function ok(value: SopsValue): DecryptedValue {
  return { ok: true, value }
}
