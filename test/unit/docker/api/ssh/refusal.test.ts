import { expect } from 'chai'
import { commandRefusal, hostKeyRefusal, loginRefusal } from '../../../../../lib/docker/api/ssh/refusal.ts'
import type { SshEndpoint } from '../../../../../lib/endpoint.ts'

const endpoint: SshEndpoint = {
  kind: 'ssh',
  url: 'ssh://deploy@store-1',
  user: 'deploy',
  host: 'store-1',
  port: 22,
  keyFile: '/etc/tallyman/key',
  known: { file: '/etc/tallyman/known_hosts' },
}

const keyOf = (name: string) => {
  const type = 'ssh-ed25519'
  const head = Buffer.alloc(4)
  head.writeUInt32BE(type.length)
  return Buffer.concat([head, Buffer.from(`${type}${name}`)])
}
const [one, other] = [keyOf('one'), keyOf('other')]

describe('the key that a host shows', () => {
  const judged = (trusted: readonly Buffer[], revoked: readonly Buffer[] = []) =>
    hostKeyRefusal('store', endpoint, { trusted, revoked }, one)

  it('G24 is accepted if it is one of the known ones', () => {
    expect(judged([other, one])).to.equal(undefined)
  })

  it('G24 G13 is refused if none is known, with the line that makes it known', () => {
    const refusal = judged([])
    expect(refusal).to.have.property('code', 'engine-host-unknown')
    expect(refusal?.message).to.match(
      /^store: ssh:\/\/deploy@store-1: the key of store-1 is not in \/etc\/tallyman\/known_hosts; its fingerprint is SHA256:\S+\. The line to add: store-1 ssh-ed25519 \S+$/,
    )
  })

  it('G24 G13 is refused if another one is known', () => {
    expect(judged([other])).to.have.property('code', 'engine-host-changed')
  })

  it('G24 is refused if it is revoked, whatever else is said of it', () => {
    const refusal = judged([one], [one])
    expect(refusal).to.have.property('code', 'engine-host-changed')
    expect(refusal?.message).to.not.include('line')
  })
})

describe('a login that fails', () => {
  const cases: readonly (readonly [Error, 'reach' | 'greet' | 'log in', code: string, words: RegExp])[] = [
    [
      Object.assign(new Error('All configured authentication methods failed'), {
        level: 'client-authentication',
      }),
      'log in',
      'engine-denied',
      /does not let this key in/,
    ],
    [new Error('Connection lost before handshake'), 'greet', 'engine-unreachable', /MaxStartups/],
    [
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      'greet',
      'engine-unreachable',
      /MaxStartups/,
    ],
    [
      Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:22'), { code: 'ECONNREFUSED' }),
      'reach',
      'engine-unreachable',
      /ECONNREFUSED.* Check the network, and the SSH server on /,
    ],
    [
      new Error('Handshake failed: no matching host key format'),
      'greet',
      'engine-host-changed',
      /no longer has a key of the type/,
    ],
  ]
  for (const [error, phase, code, words] of cases)
    it(`G13 is ${code} where it says: ${error.message}`, () => {
      const refusal = loginRefusal('store', endpoint, phase, error)
      expect(refusal.code).to.equal(code)
      expect(`${refusal.message} ${refusal.hint}`).to.match(words)
    })
})

describe('a command on the host that does not lead to the engine', () => {
  const cases: readonly (readonly [said: string, code: number, kind: string, words: RegExp])[] = [
    [
      'failed to open the raw stream connection: dial unix /var/run/docker.sock: connect: permission denied',
      1,
      'engine-denied',
      /usermod -aG docker deploy/,
    ],
    ['bash: line 1: docker: command not found', 127, 'engine-unreachable', /Install Docker on store-1/],
    ['sh: 1: docker: not found', 127, 'engine-unreachable', /Install Docker on store-1/],
    [
      'failed to open the raw stream connection: dial unix /var/run/docker.sock: connect: connection refused',
      1,
      'engine-unreachable',
      /dockerd runs/,
    ],
    ['', 1, 'engine-unreachable', /ended with 1/],
  ]
  for (const [said, code, kind, words] of cases)
    it(`G13 is ${kind} where it says: ${said || 'nothing'}`, () => {
      const refusal = commandRefusal('store', endpoint, { code, said })
      expect(refusal.code).to.equal(kind)
      expect(`${refusal.message} ${refusal.hint}`).to.match(words)
    })
})
