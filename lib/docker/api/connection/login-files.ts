import { stat } from 'node:fs/promises'
import type { Endpoint, TlsFiles } from '../../../endpoint.ts'
import { Failure, messageOf } from '../../../errors.ts'
import { readRegularText } from '../../../file/read-regular.ts'

/** Returns a text that changes with a file of a login; undefined if there are none, or one cannot be seen. */
export async function loginFilesMark(endpoint: Endpoint): Promise<string | undefined> {
  const files = filesOf(endpoint)
  if (files.length === 0) return undefined
  const seen = await Promise.all(files.map(path => stat(path))).catch(() => undefined)
  return seen?.map(({ ino, size, mtimeMs, ctimeMs }) => [ino, size, mtimeMs, ctimeMs].join(' ')).join(', ')
}

function filesOf(endpoint: Endpoint): readonly string[] {
  switch (endpoint.kind) {
    case 'unix':
      return []
    case 'tcp': {
      const { tls } = endpoint
      return tls === undefined ? [] : [tls.ca, tls.cert, tls.key]
    }
    case 'ssh':
      return [endpoint.keyFile, ...('file' in endpoint.known ? [endpoint.known.file] : [])]
  }
}

/** Reads the files for TLS. Fails with `engine-denied`, which names the site, if one of them cannot be read. */
export async function readTls(
  site: string,
  { ca, cert, key }: TlsFiles,
): Promise<{
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}> {
  try {
    const [caPem, certPem, keyPem] = await Promise.all([ca, cert, key].map(readRegularText))
    return { ca: caPem, cert: certPem, key: keyPem }
  } catch (cause) {
    const why = messageOf(cause)
    throw new Failure('engine-denied', `sites/${site}/tls: ${why}`, {
      cause,
      hint: 'Check the paths under "tls" of the site, and make sure that tallyman may read the files.',
    })
  }
}
