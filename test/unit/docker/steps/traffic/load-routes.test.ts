import { expect } from 'chai'
import { loadRefusal } from '../../../../../lib/docker/steps/traffic/load-routes.ts'
import { redactNothing } from '../../../../../lib/text/redaction/redact.ts'

describe('the refusal of a configuration', () => {
  const log = '{"level":"info","msg":"using provided configuration"}\n'

  it('P33 tells the error that Caddy quotes', () => {
    const line =
      'Error: sending configuration to instance: HTTP 400: {"error":"loading config: unknown module"}\n'
    expect(loadRefusal(log + line, '{}', redactNothing)).to.equal('loading config: unknown module')
  })

  it('P33 tells the last line where it quotes none', () => {
    const line = 'Error: connect: connection refused\n'
    expect(loadRefusal(log + line, '{}', redactNothing)).to.equal('Error: connect: connection refused')
  })

  it('G16 leaves out the lines of keys and certificates', () => {
    const body = ['MHcCAQEEIBfake+key/of+a+test', 'lastline==']
    const key = ['-----BEGIN EC PRIVATE KEY-----', ...body, '-----END EC PRIVATE KEY-----', ''].join('\n')
    const configuration = JSON.stringify({ key, host: 'shop.example.com' })
    const said = `Error: shop.example.com: bad key ${JSON.stringify(key)}`
    expect(loadRefusal(said, configuration, redactNothing)).to.equal(
      'Error: shop.example.com: bad key "-----BEGIN EC PRIVATE KEY-----\\n[REDACTED]\\n[REDACTED]\\n-----END EC PRIVATE KEY-----\\n"',
    )
  })
})
