import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Config } from '../../../config.ts'
import { Failure, type Problem } from '../../../errors.ts'
import { readRegularText } from '../../../file/read-regular.ts'
import type { ReadSettings } from '../../../ingress/settings.ts'
import { readImage } from '../../../spec/image.ts'
import type { Certificate, IngressSettings } from '../../../state/application/ingress/ingress-settings.ts'
import { hashOf } from '../../../state/canonical.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'

/**
 * Reads the operator's settings of the ingress, with the present content of the files that they name. Undefined if
 * there is no ingress. If a file cannot be read or is wrong, the settings are unusable, and the problem names the key.
 * Other applications are not affected (D15).
 */
export async function ingressSettings(
  ingress: Config['ingress'],
  secrets: Pick<Secrets, 'compose'>,
): Promise<ReadSettings | undefined> {
  if (ingress === undefined) return undefined
  try {
    return { state: 'usable', settings: await settingsOf(ingress, secrets) }
  } catch (error) {
    return { state: 'unusable', problem: problemOf(error) }
  }
}

/** Returns a text that changes with the operator's settings of the ingress, including the content of the files. */
export function settingsMark(read: ReadSettings | undefined): string {
  return read === undefined ? '' : hashOf(read)
}

/** Whether the settings name files, which may be renewed at any time. */
export function namesFiles(ingress: Config['ingress']): boolean {
  if (ingress === undefined) return false
  const { certificates, unavailablePage, acme } = ingress
  return certificates.length > 0 || unavailablePage !== undefined || acme.root !== undefined
}

/** Reads the operator's certificates from their files; undefined in place of each whose file cannot be used. */
export async function ownCertificates(
  ingress: Config['ingress'],
): Promise<readonly (X509Certificate | undefined)[]> {
  const { certificates = [] } = ingress ?? {}
  const read = await Promise.allSettled(
    certificates.map(({ cert }, index) => x509Of(`/ingress/certificates/${index}/cert`, cert)),
  )
  return read.map(one => (one.status === 'fulfilled' ? one.value : undefined))
}

async function settingsOf(
  ingress: NonNullable<Config['ingress']>,
  { compose }: Pick<Secrets, 'compose'>,
): Promise<IngressSettings> {
  const { image: written, http, https, health, acme, trustedProxies, accessLog, unavailablePage } = ingress
  const image = readImage(written)
  if (!image.ok) throw faultAt('/ingress/image', `"${written}" ${image.reason}`)
  const [page, root, certificates] = await Promise.all([
    unavailablePage === undefined ? undefined : textOf('/ingress/unavailablePage', unavailablePage),
    acme.root === undefined ? undefined : rootOf('/ingress/acme/root', acme.root),
    Promise.all(
      ingress.certificates.map((files, index) =>
        certificateOf(`/ingress/certificates/${index}`, files, { compose }),
      ),
    ),
  ])
  return {
    ...(ingress.isExternal ? { isExternal: true } : {}),
    image: { ...image.value, configuredIn: 'ingress' },
    pool: ingress.subnets,
    http,
    https,
    ...(health === undefined ? {} : { health }),
    acme: { ...acme, ...(root === undefined ? {} : { root }) },
    certificates,
    trustedProxies,
    accessLog,
    ...(page === undefined ? {} : { unavailablePage: page }),
    compose,
  }
}

async function certificateOf(
  pointer: string,
  files: { readonly cert: string; readonly key: string },
  { compose }: Pick<Secrets, 'compose'>,
): Promise<Certificate> {
  const [chain, key] = await Promise.all([
    textOf(`${pointer}/cert`, files.cert),
    textOf(`${pointer}/key`, files.key),
  ])
  const [own, secret] = [
    parsedAt(`${pointer}/cert`, `${files.cert} is no certificate in PEM`, () => new X509Certificate(chain)),
    parsedAt(`${pointer}/key`, `${files.key} is no private key in PEM, or one with a password`, () =>
      createPrivateKey(key),
    ),
  ]
  if (!own.checkPrivateKey(secret))
    throw faultAt(`${pointer}/key`, `${files.key} does not belong to ${files.cert}`)
  const names = certificateNames(own)
  if (names.length === 0) throw faultAt(`${pointer}/cert`, `${files.cert} names no host`)
  return { chain, key: compose(key), names }
}

async function rootOf(pointer: string, file: string): Promise<string> {
  const text = await textOf(pointer, file)
  parsedAt(pointer, `${file} is no certificate in PEM`, () => new X509Certificate(text))
  return text
}

async function x509Of(pointer: string, file: string): Promise<X509Certificate> {
  const chain = await textOf(pointer, file)
  return parsedAt(pointer, `${file} is no certificate in PEM`, () => new X509Certificate(chain))
}

/** Returns the alternative host names of a certificate. Browsers ignore the name in its subject. */
export function certificateNames({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([^,\s"]+)/g)].map(([, name = '']) => name.toLowerCase())
}

function parsedAt<T>(pointer: string, reason: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw faultAt(pointer, reason, cause)
  }
}

async function textOf(pointer: string, file: string): Promise<string> {
  try {
    return await readRegularText(file)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw faultAt(pointer, `${file} cannot be read (${reason})`, cause)
  }
}

function faultAt(pointer: string, reason: string, cause?: unknown): Failure {
  return new Failure('config-invalid', `${pointer}: ${reason}`, { hint: fileHint, cause })
}

const fileHint =
  'Correct the file, or the key in tallyman.yaml that names it; until then the ingress stays as it is.'

function problemOf(error: unknown): Problem {
  if (!(error instanceof Failure)) throw error
  const { code, message, hint } = error
  return { code, message, hint }
}
