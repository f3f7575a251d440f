import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { keysIn } from '../../../../lib/git/signature/keys.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

describe('a file with the keys of those who sign', () => {
  it('has public keys as ssh-keygen writes them, which sign for git alone, or lines of allowed_signers', () => {
    const text = [
      '# the team',
      `${key} ada@example.com`,
      `${key} Eve's "laptop" *`,
      key,
      '',
      `bo@example.com,*@ops.example.com namespaces="git",valid-before="20300101" ${key}`,
    ].join('\r\n')
    expect(keysIn('signers', text).allowedSigners).to.deep.equal([
      `ada@example.com namespaces="git" ${key}`,
      `Eve-s-laptop namespaces="git" ${key}`,
      `no-name namespaces="git" ${key}`,
      `bo@example.com,*@ops.example.com namespaces="git",valid-before="20300101" ${key}`,
    ])
  })

  it('has armoured OpenPGP keys, which are handed on as they are', () => {
    const text = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n'
    expect(keysIn('team.asc', text)).to.deep.equal({
      openPgp: [{ path: 'team.asc', text }],
      allowedSigners: [],
    })
  })

  const wrong: readonly (readonly [text: string, what: string])[] = [
    ['', 'f: has no public key'],
    ['# nobody\n', 'f: has no public key'],
    [`${key} ada\nnonsense\n`, 'f:2: is neither a public key nor a line of allowed_signers'],
    ['\u0099\u0001 binary', 'f:1: is neither a public key nor a line of allowed_signers'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\n', 'f: is a private key'],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\n', 'f: is a private key'],
  ]
  for (const [text, what] of wrong)
    it(`is refused whole: ${what}`, () => {
      expect(() => keysIn('f', text))
        .to.throw(Failure, what)
        .with.property('code', 'signing-keys-unusable')
    })
})
