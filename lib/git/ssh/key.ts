import { Failure } from '../../errors.ts'
import { keyFault } from '../../ssh/private-key.ts'
import { readPrivateKey } from '../remote/credential-file.ts'

/**
 * Checks a private key as ssh will, because ssh only says that the server refused it. Fails as `readPrivateKey` does,
 * and with `git-key-unusable` if it needs a passphrase or is no private key.
 */
export async function demandKey(path: string): Promise<void> {
  const fault = keyFault(await readPrivateKey(path))
  if (fault === undefined) return
  const { what, ...hint } = fault
  throw new Failure('git-key-unusable', `${path}: ${what}`, hint)
}
