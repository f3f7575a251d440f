import { expect } from 'chai'
import { isOlder, wordsOfCaddy } from '../../../lib/docker/caddy-words.ts'
import { redactNothing } from '../../../lib/redact.ts'

describe('isOlder', () => {
  it('G13 knows the age of a Caddy by its version, however it is built', () => {
    const versions = {
      '2.6.2\n': true,
      'v2.10.2 h1:g/gTYjGMD0dec+UgMw8SnfmJ3I9+M2TdvoRL/Ovu6U8=\n': true,
      'v2.11.0 h1:x\n': false,
      '2.11.4\n': false,
      'v3.0.0\n': false,
      '(devel)\n': false,
      'warning: no such thing\nv2.9.1\n': true,
    }
    for (const [said, older] of Object.entries(versions)) expect(isOlder(said), said).to.equal(older)
  })
})

describe('wordsOfCaddy', () => {
  const log = '{"level":"info","msg":"using provided configuration"}\n'

  it('P33 tells the error that Caddy quotes', () => {
    const line =
      'Error: sending configuration to instance: HTTP 400: {"error":"loading config: unknown module"}\n'
    expect(wordsOfCaddy(log + line, '{}', redactNothing)).to.equal('loading config: unknown module')
  })

  it('P33 tells the last line where it quotes none', () => {
    const line = 'Error: connect: connection refused\n'
    expect(wordsOfCaddy(log + line, '{}', redactNothing)).to.equal('Error: connect: connection refused')
  })

  it('G16 leaves out the lines of keys and certificates', () => {
    const body = ['MHcCAQEEIBfake+key/of+a+test', 'lastline==']
    const key = ['-----BEGIN EC PRIVATE KEY-----', ...body, '-----END EC PRIVATE KEY-----', ''].join('\n')
    const configuration = JSON.stringify({ key, host: 'shop.example.com' })
    const said = `Error: shop.example.com: bad key ${JSON.stringify(key)}`
    expect(wordsOfCaddy(said, configuration, redactNothing)).to.equal(
      'Error: shop.example.com: bad key "-----BEGIN EC PRIVATE KEY-----\\n[REDACTED]\\n[REDACTED]\\n-----END EC PRIVATE KEY-----\\n"',
    )
  })
})
