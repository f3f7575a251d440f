import { expect } from 'chai'
import { bestLine } from '../../../../lib/git/ssh/known-host.ts'
import { keyFingerprint } from '../../../../lib/ssh/known-hosts.ts'
import { keyFault } from '../../../../lib/ssh/private-key.ts'

/** The beginning of OpenSSH's own format. */
function openSshKey(cipher: string): string {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(cipher.length)
  const body = Buffer.concat([Buffer.from('openssh-key-v1\0'), length, Buffer.from(cipher), Buffer.alloc(60)])
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
}

describe('a private key', () => {
  it('is taken where ssh can use it by itself', () => {
    expect(keyFault(openSshKey('none'))).to.equal(undefined)
    expect(keyFault('-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n')).to.equal(
      undefined,
    )
  })

  const passphrase = 'needs a passphrase, which nobody is there to type'
  const faults: readonly (readonly [text: string, what: string])[] = [
    [openSshKey('aes256-ctr'), passphrase],
    ['-----BEGIN ENCRYPTED PRIVATE KEY-----\r\nMIIE\r\n-----END ENCRYPTED PRIVATE KEY-----\r\n', passphrase],
    ['-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\n', passphrase],
    ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA ada@example.com\n', 'is a public key'],
    ['', 'is not an OpenSSH private key'],
  ]
  for (const [text, what] of faults)
    it(`${what}: ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(keyFault(text)?.what).to.equal(what)
    })
})

describe('the line of a host', () => {
  const ed25519 =
    'github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

  it('is that with the key ssh likes best, and has the fingerprint that OpenSSH prints', () => {
    expect(bestLine(`# github.com:22 SSH-2.0\ngithub.com ssh-rsa AAAA\n${ed25519}\n`)).to.equal(ed25519)
    expect(keyFingerprint(Buffer.from(ed25519.split(' ')[2] ?? '', 'base64'))).to.equal(
      'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
    )
  })

  it('G24 is that with the key of the type that ssh refused, and no other', () => {
    const all = `h ssh-rsa AAAA\n${ed25519}\nh ecdsa-sha2-nistp384 AAAA\n`
    expect(bestLine(all, 'RSA')).to.equal('h ssh-rsa AAAA')
    expect(bestLine(all, 'ECDSA')).to.equal('h ecdsa-sha2-nistp384 AAAA')
    expect(bestLine(all, 'ED25519')).to.equal(ed25519)
    expect(bestLine('h ssh-rsa AAAA\n', 'ED25519')).to.equal(undefined)
  })

  it('is none where the answer has more in it than a key', () => {
    expect(bestLine('h ssh-ed25519 AAAA $(touch x)\n@cert-authority h ssh-rsa AAAA\n')).to.equal(undefined)
  })
})
