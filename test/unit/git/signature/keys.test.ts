import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { keysIn } from '../../../../lib/git/signature/keys.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

/** A key that was made for this test, and signs nothing. */
const openPgp = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawM+/RYJKwYBBAHaRw8BAQdA3ij8puTD41BhuB5CmBDFdezFaodUnCL9vsjm
mecAsL20FUFkYSA8YWRhQGV4YW1wbGUuY29tPoiQBBMWCAA4FiEEB2sleRJR40QU
0Ww3INRzQkWsIaEFAmsDPv0CGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ
INRzQkWsIaE+vAD+ObY3XwVmx5hn+uQZqlc6s6foOPz2dvPm/QM+ahsI4XMA/j05
dW1G0V4+InXvVpqu/DUL42QSNwmg5Q2kElRJBVcF
=PuVK
-----END PGP PUBLIC KEY BLOCK-----
`

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

  for (const [what, text] of [
    ['one', openPgp],
    ['two, with words around them', `Ada\n${openPgp}\nBo\n${openPgp}`],
    ['one with headers', openPgp.replace('\n\n', '\nVersion: 1\nComment: a key\n\n')],
    ['one without a checksum', openPgp.replace('=PuVK\n', '')],
    ['one with other line breaks', openPgp.replaceAll('\n', '\r\n')],
  ] as const)
    it(`has armoured OpenPGP keys, which are handed on as they are: ${what}`, () => {
      expect(keysIn('team.asc', text)).to.deep.equal({
        openPgp: [{ path: 'team.asc', text }],
        allowedSigners: [],
      })
    })

  for (const [text, what] of [
    [openPgp.replace(/-----END.*/, ''), 'has an OpenPGP key whose end is missing'],
    [openPgp.replace('mDME', 'nDME'), 'has an OpenPGP key that does not match its checksum'],
    [openPgp.replace('mDME', 'mDM'), 'has an OpenPGP key that is not encoded as it should be'],
    [openPgp.replace('mecA', 'me?A'), 'has an OpenPGP key that is not encoded as it should be'],
    [openPgp.replace(/dW1G[\s\S]*=PuVK\n/, ''), 'has an OpenPGP key that is cut'],
    [openPgp.replace(/mDME[\s\S]*=PuVK/, 'iAIAAQ=='), 'has an OpenPGP block that holds no public key'],
    [openPgp.replace(/mDME[\s\S]*=PuVK\n/, ''), 'has an OpenPGP key that is not encoded as it should be'],
    [
      openPgp.replace('-----\n', '----- mDME\n'),
      'has an OpenPGP key without a line of its own at the beginning',
    ],
  ] as const)
    it(`G24 is refused before anything is verified if it ${what}: ${JSON.stringify(text.slice(36, 60))}`, () => {
      expect(() => keysIn('team.asc', text))
        .to.throw(Failure, `team.asc: ${what}`)
        .with.property('code', 'signing-keys-unusable')
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
