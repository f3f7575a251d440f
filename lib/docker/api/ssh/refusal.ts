import type { SshEndpoint } from '../../../endpoint.ts'
import { Failure } from '../../../errors.ts'
import { type HostKeys, keyFingerprint, keyType, knownHostLine } from '../../../ssh/known-hosts.ts'
import { bounded } from '../../../text/bounded.ts'

/** How far a login has come. */
export type LoginPhase = 'reach' | 'greet' | 'log in'

/** Returns why the key that a host shows is not accepted; undefined if it is one of the trusted keys. */
export function hostKeyRefusal(
  site: string,
  { url, host, port, known }: SshEndpoint,
  { trusted, revoked }: HostKeys,
  shown: Buffer,
): Failure | undefined {
  const where = 'file' in known ? known.file : '"hostKey" of the site'
  if (revoked.some(key => key.equals(shown)))
    return new Failure('engine-host-changed', `${site}: ${url}: ${host} shows a key that ${where} revokes`)
  if (trusted.some(key => key.equals(shown))) return undefined
  const its = `its fingerprint is ${keyFingerprint(shown)}`
  const line = knownHostLine(shown, host, port)
  return trusted.length === 0
    ? new Failure(
        'engine-host-unknown',
        `${site}: ${url}: the key of ${host} is not in ${where}; ${its}. The line to add: ${line}`,
      )
    : new Failure(
        'engine-host-changed',
        `${site}: ${url}: ${host} shows another key than the one in ${where}; ${its}. The new line: ${line}`,
      )
}

/** Returns why nobody could log in. */
export function loginRefusal(site: string, endpoint: SshEndpoint, phase: LoginPhase, error: Error): Failure {
  const { url, user, host } = endpoint
  const failure = (code: 'engine-unreachable' | 'engine-denied', what: string, hint?: string) =>
    new Failure(code, `${site}: ${url}: ${what}`, { cause: error, ...(hint === undefined ? {} : { hint }) })
  if ('level' in error && error.level === 'client-authentication')
    return failure(
      'engine-denied',
      'the SSH server knows no such user, or does not let this key in',
      `Add the public key to ~/.ssh/authorized_keys of ${user} on ${host}, and see that the SSH server takes keys of its type.`,
    )
  if (/no matching host key format/.test(error.message))
    return new Failure(
      'engine-host-changed',
      `${site}: ${url}: ${host} no longer has a key of the type that is known (${error.message})`,
      { cause: error },
    )
  if (phase === 'greet' && /before handshake|ECONNRESET|EPIPE/.test(`${error.message} ${codeOf(error)}`))
    return failure(
      'engine-unreachable',
      'the connection was closed before the SSH server said who it is',
      `An SSH server closes new connections while too many of them have not logged in yet (MaxStartups in sshd_config), or while it punishes an address for failed logins (PerSourcePenalties). Look into the log of the SSH server on ${host}; tallyman tries again by itself.`,
    )
  return failure('engine-unreachable', bounded(error.message || codeOf(error)), serverHint(host))
}

/** Returns the failure of a login that took too long. */
export function lateLogin(
  site: string,
  { url, host }: SshEndpoint,
  phase: LoginPhase,
  limitMs: number,
): Failure {
  const what = {
    reach: 'nothing answers',
    greet: 'the SSH server does not say who it is',
    'log in': 'the SSH server does not let anybody in, and does not refuse either',
  }[phase]
  return new Failure('engine-unreachable', `${site}: ${url}: ${what} within ${limitMs / 1000} s`, {
    hint: serverHint(host),
  })
}

function serverHint(host: string): string {
  return `Check the network, and the SSH server on ${host}; tallyman tries again by itself.`
}

/** Returns the failure when the host opens no channel, although nobody else uses the connection. */
export function sessionRefusal(site: string, { url, user, host }: SshEndpoint, error: Error): Failure {
  return new Failure(
    'engine-unreachable',
    `${site}: ${url}: the SSH server opens no session (${bounded(error.message)})`,
    {
      cause: error,
      hint: `Let ${user} open sessions on ${host}: set MaxSessions in sshd_config to the default of 10. Or let the SSH server forward to sockets: AllowStreamLocalForwarding yes.`,
    },
  )
}

/** Returns the failure of a host that let somebody in, and then does nothing. */
export function silentHost(site: string, { url, host }: SshEndpoint, limitMs: number): Failure {
  return new Failure(
    'engine-unreachable',
    `${site}: ${url}: the SSH server let us in, and then opened no channel within ${limitMs / 1000} s`,
    { hint: `Look at the load of ${host} and the log of its SSH server; tallyman tries again by itself.` },
  )
}

/** How the command on the host ended that should have led to the engine. */
export type CommandEnd = { readonly code: number | undefined; readonly said: string }

/** Returns why the command on the host did not lead to the engine. */
export function commandRefusal(site: string, endpoint: SshEndpoint, { code, said }: CommandEnd): Failure {
  const { url, user, host, socket } = endpoint
  const words = bounded(
    said
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? '',
  )
  const failure = (kind: 'engine-unreachable' | 'engine-denied', what: string, hint: string) =>
    new Failure(kind, `${site}: ${url}: ${what}`, { hint })
  if (/permission denied/i.test(said) && /docker/i.test(said))
    return failure(
      'engine-denied',
      `${user} may not use the engine's socket (${words})`,
      `Run "usermod -aG docker ${user}" on ${host}. The group counts from the next login on.`,
    )
  if (code === 127 || /not found/i.test(words))
    return failure(
      'engine-unreachable',
      `docker is not on the PATH of ${user}, and its socket ${socket ?? usualSocket} cannot be reached either (${words})`,
      `Install Docker on ${host}. If it is there, name its socket at the end of the endpoint, and let the SSH server forward to it: AllowStreamLocalForwarding yes.`,
    )
  return failure(
    'engine-unreachable',
    words === '' ? `"docker system dial-stdio" ended with ${code ?? 'a signal'}` : words,
    `Check on ${host} that dockerd runs, and that "docker version" works for ${user}.`,
  )
}

/** The socket of an engine where nobody says otherwise. */
export const usualSocket = '/var/run/docker.sock'

/** Returns what became of everything on a connection that is lost. The code lets calls that only read be repeated. */
export function lostConnection({ url }: SshEndpoint, why: string): Error {
  const error = new Error(`${url}: the SSH connection broke off (${bounded(why)})`)
  return Object.assign(error, { code: 'ECONNRESET' })
}

/** Returns the type of every key that a host is known by. */
export function knownTypes({ trusted }: HostKeys): readonly string[] {
  return [...new Set(trusted.map(keyType))]
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}
