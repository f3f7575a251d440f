import { expect } from 'chai'
import { hostKeyIn, keysOfHost, knownHostLine } from '../../../lib/ssh/known-hosts.ts'

const [one, other] = ['b25l', 'b3RoZXI='].map(blob => `ssh-ed25519 ${blob}`)

const trusted = (text: string, host = 'store-1.example.com', port = 22) =>
  keysOfHost(text, host, port).trusted.map(String)

describe('the keys of a host in a file of known hosts', () => {
  const known: readonly (readonly [what: string, hosts: string])[] = [
    ['its name', 'store-1.example.com'],
    ['its name in other capitals', 'Store-1.Example.com'],
    ['one of several names', '10.0.0.7,store-1.example.com'],
    ['a pattern', '*.example.com'],
    ['a pattern with a sign for one letter', 'store-?.ex*le.com'],
    // Made by ssh-keygen -H.
    ['a hashed name', '|1|LyhIbrbRw6NSEYU6QCCXhef1RsE=|iUdhHRtbeCDy5Q1dnfflAdX6uvg='],
  ]
  for (const [what, hosts] of known)
    it(`G24 are those of the lines with ${what}`, () => {
      expect(trusted(`# stores\n\n${hosts} ${one} ada@example.com\r\nother ${other}\n`)).to.deep.equal([
        'one',
      ])
    })

  const unknown: readonly (readonly [what: string, line: string])[] = [
    ['another name', `store-2.example.com ${one}`],
    ['a pattern that takes it out', `*.example.com,!store-1.example.com ${one}`],
    ['a name that only begins alike', `store-1.example.co ${one}`],
    ['an authority, whose certificates are not read', `@cert-authority *.example.com ${one}`],
    ['a marker that nobody knows', `@other store-1.example.com ${one}`],
    ['another port', `[store-1.example.com]:2222 ${one}`],
    ['another hash', `|1|LyhIbrbRw6NSEYU6QCCXhef1RsE=|AUdhHRtbeCDy5Q1dnfflAdX6uvg= ${one}`],
    ['no key', 'store-1.example.com ssh-ed25519'],
  ]
  for (const [what, line] of unknown)
    it(`G24 are not those of a line with ${what}`, () => {
      expect(trusted(line)).to.deep.equal([])
    })

  it('G24 are under the port, where it is not the usual one', () => {
    const text = `store-1 ${one}\n[store-1]:2222 ${other}\n`
    expect(trusted(text, 'store-1', 2222)).to.deep.equal(['other'])
    expect(trusted(text, 'store-1')).to.deep.equal(['one'])
  })

  it('G24 are never those that the file revokes', () => {
    const { revoked } = keysOfHost(`@revoked * ${one}\nstore-1 ${one}\n`, 'store-1', 22)
    expect(revoked.map(String)).to.deep.equal(['one'])
  })
})

describe('a host key', () => {
  const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
  const key = hostKeyIn(`ssh-ed25519 ${blob} ada@example.com`)

  it('is read as a file of a public key has it, and only under its own type', () => {
    expect(key?.toString('base64')).to.equal(blob)
    for (const text of [`ssh-rsa ${blob}`, blob, `ssh-ed25519 AAAA`, ''])
      expect(hostKeyIn(text), text).to.equal(undefined)
  })

  it('becomes the line that makes it known', () => {
    expect(knownHostLine(key ?? Buffer.alloc(0), 'store-1', 22)).to.equal(`store-1 ssh-ed25519 ${blob}`)
    expect(knownHostLine(key ?? Buffer.alloc(0), '::1', 2222)).to.equal(`[::1]:2222 ssh-ed25519 ${blob}`)
  })
})
