import { createHmac, timingSafeEqual } from 'node:crypto'

/** A UUID as its 16 bytes. */
export type Uuid = Buffer

/** Reads a UUID in any case, with or without its dashes, as the reference implementation does. */
export function parseUuid(text: string): Uuid | undefined {
  const digits = text.replaceAll('-', '')
  return /^[0-9a-f]{32}$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined
}

/** Returns what vouches for content of a pod: the HMAC-SHA512 over its UUID and the content (C54). */
export function sign(key: Buffer, uuid: Uuid, content: Buffer): string {
  return hmac(key, uuid, content).toString('base64')
}

/** Whether a pod signed the content. Undefined if that is no base64. How long it takes tells nothing. */
export function verify(key: Buffer, uuid: Uuid, content: Buffer, signature: string): boolean | undefined {
  if (!base64Pattern.test(signature)) return undefined
  const given = Buffer.from(signature, 'base64')
  const right = hmac(key, uuid, content)
  return given.length === right.length && timingSafeEqual(given, right)
}

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function hmac(key: Buffer, uuid: Uuid, content: Buffer): Buffer {
  return createHmac('sha512', key).update(uuid).update(content).digest()
}
