import type { Client } from 'ssh2'
import type { SshEndpoint } from '../../../endpoint.ts'
import { Failure } from '../../../errors.ts'
import { later } from '../../../wait/timer.ts'
import { readLogin } from './login.ts'
import { hostKeyRefusal, knownTypes, type LoginPhase, lateLogin, loginRefusal } from './refusal.ts'

/** In milliseconds: until somebody is logged in, and until a connection on which nothing comes is taken for lost. */
export type LoginLimits = { readonly loginMs: number; readonly silenceMs: number }

/**
 * Connects to the host of an engine, checks its key, and logs in, within a limit. Who is handed the client ends it.
 * Fails with `engine-key-unusable`, `engine-host-unknown`, `engine-host-changed`, `engine-denied` or
 * `engine-unreachable`.
 */
export async function logIn(
  site: string,
  endpoint: SshEndpoint,
  { loginMs, silenceMs }: LoginLimits,
): Promise<Client> {
  const { user: username, host, port, keyFile } = endpoint
  const login = await readLogin(site, endpoint)
  const ssh2 = (await import('ssh2')).default
  const privateKey = ssh2.utils.parseKey(login.key)
  if (privateKey instanceof Error)
    throw new Failure('engine-key-unusable', `${site}: ${keyFile}: ${privateKey.message}`)
  const client: Client = new ssh2.Client()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let phase: LoginPhase = 'reach'
  let refusal: Failure | undefined
  const refuse = (error: Error) => reject(refusal ?? loginRefusal(site, endpoint, phase, error))
  const timer = later(loginMs, () => reject(lateLogin(site, endpoint, phase, loginMs)))
  client
    .on('connect', () => {
      phase = 'greet'
      // Small packets go both ways. Held back until the last one is acknowledged, each costs 40 ms.
      client.setNoDelay(true)
    })
    .on('handshake', () => {
      phase = 'log in'
    })
    .on('ready', resolve)
    .on('error', refuse)
    .on('close', () => refuse(new Error('the connection was closed')))
  client.connect({
    host,
    port,
    username,
    privateKey: login.key,
    authHandler: ['publickey'],
    hostVerifier: (shown: Buffer) => {
      refusal = hostKeyRefusal(site, endpoint, login.host, shown)
      return refusal === undefined
    },
    ...algorithmsFor(knownTypes(login.host)),
    readyTimeout: 0,
    // The host is asked three times whether it is there.
    keepaliveInterval: silenceMs / 4,
    keepaliveCountMax: 3,
  })
  try {
    await promise
    return client
  } catch (error) {
    client.destroy()
    throw error
  } finally {
    timer.cancel()
  }
}

/** Asks for a key of a type that is known. Any other one that the host has would be refused. */
function algorithmsFor(types: readonly string[]) {
  const serverHostKey = types.flatMap(type => signatures[type] ?? [])
  return serverHostKey.length === 0 ? {} : { algorithms: { serverHostKey } }
}

/** How the host can prove that it has a key, by the type of the key. */
const signatures: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
}

type ServerHostKeyAlgorithm = import('ssh2').ServerHostKeyAlgorithm
