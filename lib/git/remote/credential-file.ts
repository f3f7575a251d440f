import { Failure } from '../../errors.ts'
import { type RegularFile, readRegular } from '../../file/read-regular.ts'
import { modeFault } from '../../ssh/private-key.ts'
import { withoutEnd } from '../../text/without-end.ts'

/**
 * Returns the content of a file with credentials, without line breaks at its end. Fails with
 * `git-credentials-unreadable`.
 */
export async function readCredentialFile(path: string): Promise<string> {
  return withoutEnd((await reading(path)).bytes.toString(), '\r\n')
}

/**
 * Returns a private key as `readSecret` does. Also fails with `git-key-unusable` if others can read the file. Like ssh,
 * this checks the mode only of files that belong to the current user.
 */
export async function readPrivateKey(path: string): Promise<string> {
  const { bytes, stats } = await reading(path)
  const fault = modeFault(stats)
  if (fault === undefined) return withoutEnd(bytes.toString(), '\r\n')
  const { what, ...hint } = fault
  throw new Failure('git-key-unusable', `${path}: ${what}`, hint)
}

async function reading(path: string): Promise<RegularFile> {
  try {
    return await readRegular(path)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new Failure('git-credentials-unreadable', `${path}: cannot be read (${reason})`, { cause: error })
  }
}
