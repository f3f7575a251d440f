import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needPrograms } from '../suite/programs.ts'

export type GnuPg = AsyncDisposable & {
  readonly home: string
  /** Makes a key for `Name <address>` that can sign; valid for a year from a time such as `20200101T000000`, else for good. */
  key(user: string, from?: string): Promise<void>
  /** The armoured public key, with what is known of its withdrawal. */
  publicKey(user: string): Promise<string>
  withdraw(user: string): Promise<void>
  /** A detached armoured signature on a text, made at a time such as `20200201T000000`. */
  sign(user: string, text: string, at?: string): Promise<string>
}

/** A home for OpenPGP keys of tests, with an agent that ends with it. */
export async function createGnuPg(): Promise<GnuPg> {
  await needPrograms(['gpg', 'gpgAgent'])
  // The path of its agent's socket has to be short.
  const directory = await mkdtemp(join(tmpdir(), 'gpg-'))
  const home = join(directory, 'h')
  await mkdir(home, { mode: 0o700 })
  const gpg = async (args: readonly string[], input = '') => {
    const all = [
      '--homedir',
      home,
      '--batch',
      '--quiet',
      '--pinentry-mode',
      'loopback',
      '--passphrase',
      '',
      ...args,
    ]
    const running = promisify(execFile)('gpg', all)
    // Not every command reads what it is given.
    running.child.stdin?.on('error', () => undefined).end(input)
    return (await running).stdout
  }
  const at = (time: string | undefined) => (time === undefined ? [] : ['--faked-system-time', time])
  return {
    home,
    async key(user, from) {
      const until = from === undefined ? '0' : '1y'
      await gpg([...at(from), '--quick-generate-key', user, 'ed25519', 'sign', until])
    },
    publicKey: user => gpg(['--armor', '--export', user]),
    async withdraw(user) {
      const listed = await gpg(['--with-colons', '--list-keys', user])
      const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listed)?.[1] ?? ''
      const made = join(home, 'openpgp-revocs.d')
      const [name = ''] = (await readdir(made)).filter(file => file.startsWith(fingerprint))
      const certificate = await readFile(join(made, name), 'utf8')
      // A colon keeps it from being taken by mistake.
      await gpg(['--import'], certificate.replace(/^:-----/m, '-----'))
    },
    sign: (user, text, time) => gpg([...at(time), '--armor', '--detach-sign', '--local-user', user], text),
    async [Symbol.asyncDispose]() {
      await promisify(execFile)('gpgconf', ['--homedir', home, '--kill', 'gpg-agent']).catch(() => undefined)
      await rm(directory, { recursive: true, force: true })
    },
  }
}
