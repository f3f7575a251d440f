import { join } from 'node:path'
import { runProgram } from '../program.ts'
import { foreignText } from '../text.ts'
import { type KeyFile, unusableKeys } from './keys.ts'
import { passingFiles } from './passing-files.ts'
import type { Signed } from './signed.ts'
import type { SignatureVerdict } from './verdict.ts'

/**
 * Verifies an OpenPGP signature with the system's gpg. The process has a home directory of its own, which is removed
 * afterwards. It knows only these keys, and has no settings, no agent and no network. Fails with
 * `signing-keys-unusable`, or as `passingFiles` and `runProgram` do.
 */
export async function verifyOpenPgp(
  { payload, signature }: Signed,
  keys: readonly KeyFile[],
  storeDir: string,
  signal: AbortSignal,
): Promise<SignatureVerdict> {
  await using home = await passingFiles(storeDir, { signature })
  const gpg = (args: readonly string[], input: Buffer) =>
    runProgram('gpg', { args: ['--homedir', home.path, ...settings, ...args], input }, signal)
  for (const { path, text } of keys) {
    const { code, output, said } = await gpg(['--import'], Buffer.from(text))
    if (code !== 0 || !/^\[GNUPG:\] IMPORT_OK /m.test(output))
      throw unusableKeys(path, `gpg cannot read its keys: ${reasonIn(said)}`)
  }
  const { output } = await gpg(['--verify', join(home.path, 'signature'), '-'], payload)
  return verdictIn(output)
}

const settings = [
  '--no-options',
  '--batch',
  '--no-tty',
  '--no-autostart',
  '--disable-dirmngr',
  '--no-auto-key-retrieve',
  '--no-auto-check-trustdb',
  '--trust-model',
  'always',
  '--status-fd',
  '1',
]

/** Returns what gpg said of a file, without what it says of every import. */
export function reasonIn(said: string): string {
  const lines = said.split(/\r?\n/).map(line => foreignText(line.replace(/^gpg: */, '')))
  return lines.filter(line => line !== '' && !courtesies.test(line)).join('; ') || 'it has no key'
}

const courtesies = /^(?:keybox .* created|no gpg-agent running|Total number processed|imported:)/

/**
 * Returns the verdict in gpg's status lines. gpg also exits with 0 for revoked and expired keys, so only the lines
 * count: there has to be exactly one signature, and it has to be good.
 */
export function verdictIn(status: string): SignatureVerdict {
  const lines = status.split('\n').flatMap(line => /^\[GNUPG:\] (\S+)(?: (.*))?$/.exec(line)?.slice(1) ?? [])
  const said = new Map<string, string[]>()
  for (let at = 0; at < lines.length; at += 2) {
    const [word = '', rest = ''] = lines.slice(at, at + 2)
    said.set(word, [...(said.get(word) ?? []), rest])
  }
  const one = (word: string) => {
    const [only, second] = said.get(word) ?? []
    return second === undefined ? only : undefined
  }
  const named = (word: string) => one(word)?.replace(/^\S+ /, '')
  const untrusted = (reason: string): SignatureVerdict => ({ state: 'untrusted', reason })

  if ((said.get('NEWSIG') ?? []).length > 1) return { state: 'bad', reason: 'it is more than one signature' }
  if (said.has('BADSIG')) return { state: 'bad', reason: 'it was made for other content' }
  if (said.has('REVKEYSIG')) return untrusted(`the key of ${named('REVKEYSIG')} was withdrawn`)
  if (said.has('EXPKEYSIG')) return untrusted(`the key of ${named('EXPKEYSIG')} has expired`)
  if (said.has('EXPSIG')) return untrusted(`the signature of ${named('EXPSIG')} has expired`)
  if (said.has('NO_PUBKEY'))
    return untrusted(`no signer in the configuration has the key ${one('NO_PUBKEY')}`)
  const [name, fingerprint] = [named('GOODSIG'), one('VALIDSIG')?.split(' ').at(-1)]
  if (name === undefined || fingerprint === undefined || said.has('ERRSIG'))
    return { state: 'bad', reason: 'gpg cannot verify it' }
  return { state: 'good', signer: { name: foreignText(name), key: `OpenPGP ${fingerprint}` } }
}
