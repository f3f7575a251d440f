import { isUtf8 } from 'node:buffer'

/**
 * Returns the name of a file or directory from its bytes. Those of a name that is not UTF-8 become escapes, so that two
 * such names never become one. No path can contain a backslash, so none leads there (G24).
 */
export function nameFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return bytes
    .toString('latin1')
    .replace(/[^ -~]/g, byte => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
