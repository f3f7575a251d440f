import { X509Certificate } from 'node:crypto'
import { timeOfDayMs } from '../../../clock.ts'
import type { Endpoint } from '../../../endpoint.ts'
import { readRegular } from '../../../file/read-regular.ts'

/** Tallyman's own certificate for an engine, which is over: its file, and when it expired, in ms since 1970. */
export type ExpiredCertificate = { readonly file: string; readonly expiredMs: number }

/**
 * Returns the certificate that Tallyman shows to an engine, if it has expired by now. Undefined too if it cannot be
 * read: then something else is told of the files. Never rejects.
 */
export async function expiredCertificate(endpoint: Endpoint): Promise<ExpiredCertificate | undefined> {
  if (endpoint.kind !== 'tcp' || endpoint.tls === undefined) return undefined
  const { cert: file } = endpoint.tls
  try {
    const expiredMs = new X509Certificate((await readRegular(file)).bytes).validToDate.getTime()
    return expiredMs <= timeOfDayMs() ? { file, expiredMs } : undefined
  } catch {
    return undefined
  }
}
