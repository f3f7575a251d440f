import { Failure, messageOf } from '../../errors.ts'
import { isoText } from '../../text/time.ts'
import type { ExpiredCertificate } from './connection/expired-certificate.ts'

/**
 * Returns why an engine cannot be spoken to over TLS, in words of ours; undefined: something else is wrong. Messages of
 * OpenSSL name a line of its source, and only what they give as the reason is for people. An engine that does not want
 * a certificate may hang up without a word: with one that has expired, that is why.
 */
export function tlsFailure(
  site: string,
  error: Error,
  code: string,
  expired: ExpiredCertificate | undefined,
): Failure | undefined {
  const reason = reasonOf(error, code)
  const alert = reason?.split('alert ', 2)[1]
  if (expired !== undefined && (alert !== undefined || hangUps.includes(code)))
    return new Failure(
      'engine-denied',
      `${site}: Tallyman's certificate expired at ${isoText(expired.expiredMs)}: ${expired.file}`,
      { cause: error, hint: renewHint },
    )
  if (reason === undefined)
    return /CERT|TLS|SIGN/.test(code)
      ? new Failure(
          'engine-denied',
          `${site}: the engine's certificate is not accepted: ${messageOf(error)}`,
          {
            cause: error,
            hint: authorityHint,
          },
        )
      : undefined
  if (alert !== undefined)
    return /certificate|unknown ca|access denied/.test(alert)
      ? new Failure('engine-denied', `${site}: the engine does not accept Tallyman's certificate: ${alert}`, {
          cause: error,
          hint: acceptedHint,
        })
      : new Failure('engine-denied', `${site}: the engine refuses to speak TLS: ${alert}`, { cause: error })
  if (code.startsWith('ERR_OSSL'))
    return new Failure('engine-denied', `${site}: the files for TLS cannot be used: ${reason}`, {
      cause: error,
      hint: filesHint,
    })
  return new Failure('engine-unreachable', `${site}: TLS to the engine fails: ${reason}`, { cause: error })
}

/** Returns what OpenSSL gives as the reason; undefined: the error is not from there. */
function reasonOf({ message }: Error, code: string): string | undefined {
  const [, told = ''] = message.split('error:', 2)
  const [number = '', , , reason] = told.split(':', 4)
  if (reason !== undefined && /^[0-9A-F]+$/.test(number)) return reason
  return /^ERR_O?SSL_(.*)/.exec(code)?.[1]?.replaceAll('_', ' ').toLowerCase()
}

const hangUps: readonly string[] = ['ECONNRESET', 'EPIPE']

const renewHint =
  'Renew the certificate, and put the new one and its key in place of the "cert" and the "key" under "tls" of the site. The next call to the engine uses them.'
const acceptedHint =
  'Check that the "cert" under "tls" of the site is signed by the authority that the engine trusts, which dockerd is given as "tlscacert".'
const authorityHint =
  'Check that the "ca" under "tls" of the site is the authority that signed the certificate of the engine, and that this certificate is for the host of the endpoint and has not expired.'
const filesHint =
  'Check that the files under "tls" of the site are PEM files, and that the "key" belongs to the "cert".'
