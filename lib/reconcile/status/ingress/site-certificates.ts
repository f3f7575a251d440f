import { X509Certificate } from 'node:crypto'
import type { Engine } from '../../../engine.ts'
import { readRegular } from '../../../file/read-regular.ts'
import { type CertificateStatus, statusOfCertificate } from './certificates.ts'

/** A certificate for the connection to an engine: our own, or that of the authority that signed the engine's. */
export type SiteCertificate = {
  readonly site: string
  readonly role: 'ours' | 'authority'
  readonly certificate: CertificateStatus
}

/**
 * Reads the certificates of all engines that are reached over TLS, from their files; the first of each file. Never
 * rejects.
 */
export async function siteCertificates(
  engines: readonly Pick<Engine, 'site' | 'tls'>[],
  nowMs: number,
): Promise<readonly SiteCertificate[]> {
  return Promise.all(
    engines.flatMap(({ site, tls }) =>
      tls === undefined
        ? []
        : [['ours', tls.cert] as const, ['authority', tls.ca] as const].map(async ([role, file]) => ({
            site,
            role,
            certificate: await readStatus(file, nowMs),
          })),
    ),
  )
}

async function readStatus(file: string, nowMs: number): Promise<CertificateStatus> {
  try {
    return statusOfCertificate(new X509Certificate((await readRegular(file)).bytes), nowMs)
  } catch {
    return { state: 'unknown', names: [] }
  }
}
