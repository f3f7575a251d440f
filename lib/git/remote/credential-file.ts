import { readFile, stat } from 'node:fs/promises'
import { Failure } from '../../errors.ts'
import { modeFault } from '../../ssh/private-key.ts'
import { withoutEnd } from '../../text/without-end.ts'

/**
 * Returns the content of a file with credentials, without line breaks at its end. Fails with
 * `git-credentials-unreadable`.
 */
export async function readCredentialFile(path: string): Promise<string> {
  return withoutEnd(await reading(path, () => readFile(path, 'utf8')), '\r\n')
}

/**
 * Returns a private key as `readSecret` does. Also fails with `git-key-unusable` if others can read the file. Like ssh,
 * this checks the mode only of files that belong to the current user.
 */
export async function readPrivateKey(path: string): Promise<string> {
  const text = await readCredentialFile(path)
  const fault = modeFault(await reading(path, () => stat(path)))
  if (fault === undefined) return text
  const { what, ...hint } = fault
  throw new Failure('git-key-unusable', `${path}: ${what}`, hint)
}

async function reading<Read>(path: string, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new Failure('git-credentials-unreadable', `${path}: cannot be read (${reason})`, { cause: error })
  }
}
