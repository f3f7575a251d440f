import { createDecipheriv } from 'node:crypto'
import { malformed, parsed } from '../state/parsed.ts'

/**
 * A value of a SOPS document: its text, and its bytes as the MAC counts them. A comment is no value and is not counted.
 */
export type SopsValue =
  | { readonly kind: 'text'; readonly text: string; readonly counted: Uint8Array | string }
  | { readonly kind: 'comment' }

/** A value, or why there is none. `isTampered`: SOPS did not write it so for this data key and this place. */
export type DecryptedValue =
  | { readonly ok: true; readonly value: SopsValue }
  | { readonly ok: false; readonly reason: string; readonly isTampered?: true }

/** Returns why a value is not as SOPS writes it. The reason continues a sentence that begins with the value. */
export function tampered(reason: string): DecryptedValue {
  return { ok: false, reason, isTampered: true }
}

/** Whether a text has the form in which SOPS writes encrypted values. */
export function isEncrypted(written: unknown): written is string {
  return typeof written === 'string' && written.startsWith('ENC[')
}

/**
 * Decrypts `ENC[AES256_GCM,…]`. `place` is what the value was bound to when it was encrypted: the keys on the way to
 * it, each followed by a colon. An empty text is not encrypted.
 */
export function decryptValue(written: string, dataKey: Uint8Array, place: string): DecryptedValue {
  if (written === '') return parsed({ kind: 'text', text: '', counted: '' })
  const [, data = '', iv = '', tag = '', type = ''] = form.exec(written) ?? []
  if (type === '') return tampered('is not encrypted, but must be')
  const bytes = open(decoded(data), { dataKey, iv: decoded(iv), tag: decoded(tag), place })
  if (bytes === undefined) return tampered('was changed, moved or encrypted with another data key')
  return typed(type, bytes)
}

/** Reads a value that is not encrypted. `null` is no value. */
export function plainValue(written: string | number | boolean): SopsValue {
  switch (typeof written) {
    case 'string':
      return { kind: 'text', text: written, counted: written }
    case 'number':
      return { kind: 'text', text: decimal(written), counted: decimal(written) }
    case 'boolean':
      return boolean(written)
  }
}

const form = /^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([a-z0-9]+)\]$/

function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}

type Seal = {
  readonly dataKey: Uint8Array
  readonly iv: Buffer
  readonly tag: Buffer
  readonly place: string
}

function open(data: Buffer, { dataKey, iv, tag, place }: Seal): Buffer | undefined {
  if (iv.length < shortestIv || iv.length > longestIv || tag.length !== tagLength) return undefined
  const decipher = createDecipheriv('aes-256-gcm', dataKey, iv, { authTagLength: tagLength })
  decipher.setAAD(Buffer.from(place)).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(data), decipher.final()])
  } catch {
    return undefined
  }
}

/** SOPS writes 32 bytes. */
const shortestIv = 12
const longestIv = 64
const tagLength = 16

/** The MAC counts numbers and booleans as SOPS formats them, not as they were written. */
function typed(type: string, bytes: Buffer): DecryptedValue {
  const text = textOf(bytes)
  if (type === 'comment') return parsed({ kind: 'comment' })
  if (text === undefined) return malformed('is not text (UTF-8)')
  switch (type) {
    case 'str':
    case 'bytes':
    case 'time':
      return parsed({ kind: 'text', text, counted: bytes })
    case 'int':
    case 'int64':
      return /^[+-]?\d{1,20}$/.test(text) ? parsed(spelled(String(BigInt(text)))) : malformed('is no integer')
    case 'float':
      return number.test(text) ? parsed(spelled(decimal(Number(text)))) : malformed('is no number')
    case 'bool':
      return /^(?:true|false)$/i.test(text)
        ? parsed(boolean(text.toLowerCase() === 'true'))
        : malformed('is neither true nor false')
    default:
      return malformed(`is of the type "${type}", which is not known`)
  }
}

function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : undefined
}

const number = /^[+-]?\d{1,400}(?:\.\d{1,400})?$/

function spelled(text: string): SopsValue {
  return { kind: 'text', text, counted: text }
}

function boolean(value: boolean): SopsValue {
  return { kind: 'text', text: String(value), counted: value ? 'True' : 'False' }
}

/** Returns the shortest decimal for a number, without an exponent: `1e21` is a one and twenty-one zeros. */
function decimal(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}
