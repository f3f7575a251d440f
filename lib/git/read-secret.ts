import { readFile } from 'node:fs/promises'
import { Failure } from '../errors.ts'
import { withoutEnd } from '../without-end.ts'

/**
 * Returns the content of a file with credentials, without line breaks at its end. Fails with
 * `git-credentials-unreadable`.
 */
export async function readSecret(path: string): Promise<string> {
  try {
    return withoutEnd(await readFile(path, 'utf8'), '\r\n')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new Failure('git-credentials-unreadable', `${path}: cannot be read (${reason})`, { cause: error })
  }
}
