import { Failure } from '../errors.ts'
import { bounded } from '../text/bounded.ts'
import { gitLimits } from './limits.ts'

/**
 * Decodes a file as text, without its byte order mark. Fails with `file-not-text` unless it is UTF-8 without NUL, and
 * with `file-missing` if it is a pointer of Git LFS.
 */
export function decodeText(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) throw new Failure('file-not-text', `${path}: contains NUL`, { resource: path })
  const text = utf8(bytes, path)
  if (!lfsPointer.test(text)) return text
  throw new Failure('file-missing', `${path}: is a Git LFS pointer; the file itself is stored elsewhere`, {
    resource: path,
    hint: `Keep the file in git itself: remove the line that matches it from .gitattributes, run "git add --renormalize ${path}", and commit both.`,
  })
}

const lfsPointer = /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\n/

function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Failure('file-not-text', `${path}: is not valid UTF-8`, { cause: error, resource: path })
  }
}

/** Returns the failure for a file that is larger than a manifest may be. */
export function fileTooLarge(path: string, size: number): Failure {
  const message = `${path}: has ${size} bytes; at most ${gitLimits.objectBytes} are read`
  return new Failure('file-too-large', message, { resource: path })
}

/**
 * Returns what somebody else wrote, bounded and without blanks around it. What acts on a terminal stays in it, and
 * becomes escapes where it is printed, so that nobody takes the text for another one (G24).
 */
export function foreignText(text: string): string {
  return bounded(text.trim())
}
