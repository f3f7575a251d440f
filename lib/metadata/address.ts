import { percentDecoded } from '../text/percent-decoded.ts'

/**
 * What a request is about: whose pod, and what of it. `path` is what follows the prefix of the interface: empty for an
 * address that leads nowhere, undefined for one that cannot be read.
 */
export type AskedPod = { readonly token: string; readonly path: readonly string[] | undefined }

/**
 * Reads the address of a request in the origin form or the absolute form (RFC 9112, section 3.2). Each segment is
 * decoded once, and one that decodes to several never leads anywhere.
 */
export function askedPod(url: string): AskedPod {
  const [address = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)
  const [, ...written] = address.startsWith('/') ? address.split('/') : []
  const [token = '', ...rest] = written.map(percentDecoded)
  const known = token === undefined || token.includes('/') ? '' : token
  const path = rest.filter(segment => segment !== undefined)
  if (path.length < rest.length) return { token: known, path: undefined }
  const isInterface = path[0] === 'acMetadata' && path[1] === 'v1' && !path.some(one => one.includes('/'))
  return { token: known, path: isInterface ? path.slice(2) : [] }
}

/** Whether a request has a body that matters. */
export function isForm({ path: [kind, hmac] = [] }: AskedPod): boolean {
  return kind === 'pod' && hmac === 'hmac'
}
