import type { SshEndpoint } from '../../../endpoint.ts'
import { Failure } from '../../../errors.ts'
import { readRegular } from '../../../file/read-regular.ts'
import { type HostKeys, keysOfHost } from '../../../ssh/known-hosts.ts'
import { keyFault, modeFault } from '../../../ssh/private-key.ts'

/** What a login needs. */
export type HostLogin = { readonly key: string; readonly host: HostKeys }

/** Reads the files of a login. Fails with `engine-key-unusable`, which names the site and the file. */
export async function readLogin(site: string, endpoint: SshEndpoint): Promise<HostLogin> {
  const { keyFile, known, host, port } = endpoint
  const { bytes, stats } = await read(site, keyFile)
  const key = bytes.toString()
  const fault = modeFault(stats) ?? keyFault(key)
  if (fault !== undefined) {
    const { what, ...hint } = fault
    throw new Failure('engine-key-unusable', `${site}: ${keyFile}: ${what}`, hint)
  }
  if ('key' in known) return { key, host: { trusted: [known.key], revoked: [] } }
  return { key, host: keysOfHost((await read(site, known.file)).bytes.toString(), host, port) }
}

async function read(site: string, path: string) {
  try {
    return await readRegular(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Failure('engine-key-unusable', `${site}: ${path}: cannot be read (${code})`, {
      cause,
      hint: 'Check the paths under "ssh" of the site, and make sure that tallyman may read the files.',
    })
  }
}
