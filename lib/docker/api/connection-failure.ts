import { Failure } from '../../errors.ts'

/** Returns why a call got no answer from the engine, as a Failure that names the site first. */
export function connectionFailure(site: string, error: unknown, signal: AbortSignal): Failure {
  if (error instanceof Failure) return error
  if (signal.aborted)
    return new Failure('interrupted', `${site}: stopped before it was done`, { cause: error })
  if (!(error instanceof Error)) return new Failure('engine-unreachable', `${site}: ${String(error)}`)
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
  if (/CERT|TLS|SSL|SIGN/.test(code)) return new Failure('engine-denied', message, { cause: error })
  return new Failure('engine-unreachable', message, { cause: error })
}
