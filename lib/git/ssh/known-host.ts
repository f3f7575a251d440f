import { Failure } from '../../errors.ts'
import { readRegular } from '../../file/read-regular.ts'
import { keyFingerprint } from '../../ssh/known-hosts.ts'
import { runProgram } from '../program.ts'
import type { SshAddress } from './address.ts'

/**
 * Checks the file with the keys of hosts as far as ssh says nothing of it. A missing one is empty: it is made when its
 * first line is added. Fails with `git-credentials-unreadable`.
 */
export async function demandKnownHosts(path: string): Promise<void> {
  try {
    await readRegular(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    if (code === 'ENOENT') return
    const what = code === 'not a file' ? 'is not a file' : `cannot be read (${code})`
    throw new Failure('git-credentials-unreadable', `${path}: ${what}`, { cause })
  }
}

/**
 * Adds to the refusal of a host, whose key is unknown or another one, the line that would make it known, if the host
 * answers. Never adds it to the file.
 * @param type the type of the key that ssh refused, as ssh calls it; undefined if that is unknown
 */
export async function withLine(
  refusal: Failure,
  { host, port }: SshAddress,
  type: string | undefined,
  signal: AbortSignal,
): Promise<Failure> {
  const args = ['-T', '5', '-p', String(port), '-t', 'ed25519,ecdsa,rsa', '--', host]
  const { output } = await runProgram('ssh-keyscan', { args }, signal).catch(() => ({ output: '' }))
  const line = bestLine(output, type)
  if (line === undefined) return refusal
  const shown = `${refusal.message}; its fingerprint is ${keyFingerprint(Buffer.from(line.split(' ')[2] ?? '', 'base64'))}`
  if (refusal.code === 'git-host-changed')
    return new Failure(refusal.code, `${shown}. The new line: ${line}`, {
      hint: 'Ask the server\'s operators whether the key was replaced, and compare the fingerprint with the one that they publish. If it is the same, put the new line in place of the old ones of this host in the file that "knownHostsFile" names.',
    })
  return new Failure(refusal.code, `${shown}. The line to add: ${line}`, {
    hint: 'Compare the fingerprint with the one that the server\'s operators publish. If it is the same, add the line to the file that "knownHostsFile" names.',
  })
}

/**
 * Returns the line with the key of a type out of what `ssh-keyscan` printed; without a type, the one that ssh prefers.
 * A key of another type than the one that ssh refused would not help.
 */
export function bestLine(printed: string, type?: string): string | undefined {
  const lines = printed.split(/\r?\n/).filter(line => /^[^\s#@|]\S* [a-z0-9-]+ [A-Za-z0-9+/]+=*$/.test(line))
  const kinds = Object.entries(kindsOfKeys).flatMap(([name, kind]) => ((type ?? name) === name ? [kind] : []))
  return kinds.flatMap(kind => lines.filter(line => line.split(' ')[1]?.startsWith(kind)))[0]
}

/** By what ssh calls them, in the order in which it prefers them. */
const kindsOfKeys = { ED25519: 'ssh-ed25519', ECDSA: 'ecdsa-sha2-', RSA: 'ssh-rsa' }
