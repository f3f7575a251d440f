import { Failure } from '../../errors.ts'
import type { ExpiredCertificate } from './connection/expired-certificate.ts'
import { tlsFailure } from './tls-failure.ts'

/**
 * Returns why a call got no answer from the engine, as a Failure that names the site first. A call that cannot be made as
 * it is says nothing about the engine (`internal`). `expired`: the certificate that Tallyman shows to the engine, if it is
 * over.
 */
export function connectionFailure(
  site: string,
  error: unknown,
  signal: AbortSignal,
  expired?: ExpiredCertificate,
): Failure {
  if (error instanceof Failure) return error
  if (signal.aborted)
    return new Failure('interrupted', `${site}: stopped before it was done`, { cause: error })
  if (!(error instanceof Error)) return new Failure('engine-unreachable', `${site}: ${String(error)}`)
  if (error instanceof TypeError)
    return new Failure('internal', `${site}: ${error.message}`, { cause: error })
  if (error.name === 'TimeoutError')
    return new Failure('engine-unreachable', `${site}: the Docker Engine did not answer in time`, {
      cause: error,
    })
  const code = 'code' in error ? String(error.code) : ''
  const message = `${site}: ${error.message || code}`
  if (code === 'EACCES' || code === 'EPERM')
    return new Failure('engine-denied', message, {
      cause: error,
      hint: 'The user that runs tallyman may not use the socket: add it to the group "docker".',
    })
  const ofTls = tlsFailure(site, error, code, expired)
  return ofTls ?? new Failure('engine-unreachable', message, { cause: error })
}
