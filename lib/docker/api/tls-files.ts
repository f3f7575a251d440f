import { readFile, stat } from 'node:fs/promises'
import { Failure, messageOf } from '../../errors.ts'
import type { Endpoint, TlsFiles } from './endpoint.ts'

/** Returns a text that changes with a TLS file; undefined if there are none, or one cannot be seen. */
export async function tlsFilesMark(endpoint: Endpoint): Promise<string | undefined> {
  if (endpoint.kind === 'unix' || endpoint.tls === undefined) return undefined
  const { ca, cert, key } = endpoint.tls
  const seen = await Promise.all([ca, cert, key].map(path => stat(path))).catch(() => undefined)
  return seen?.map(({ ino, size, mtimeMs, ctimeMs }) => [ino, size, mtimeMs, ctimeMs].join(' ')).join(', ')
}

/** Reads the files. Fails with `engine-denied`, which names the site, if one of them cannot be read. */
export async function readTls(
  site: string,
  { ca, cert, key }: TlsFiles,
): Promise<{
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}> {
  try {
    const [caPem, certPem, keyPem] = await Promise.all([ca, cert, key].map(path => readFile(path, 'utf8')))
    return { ca: caPem, cert: certPem, key: keyPem }
  } catch (cause) {
    const why = messageOf(cause)
    throw new Failure('engine-denied', `sites/${site}/tls: ${why}`, {
      cause,
      hint: 'Check the paths under "tls" of the site, and make sure that tallyman may read the files.',
    })
  }
}
