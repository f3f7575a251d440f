import { expect } from 'chai'
import { connectionFailure } from '../../../../lib/docker/api/connection-failure.ts'

const waiting = new AbortController().signal
const error = (code: string) => Object.assign(new Error(`connect ${code} /run/docker.sock`), { code })

describe('connectionFailure', () => {
  for (const [code, said] of [
    ['ENOENT', 'engine-unreachable'],
    ['ECONNREFUSED', 'engine-unreachable'],
    ['ECONNRESET', 'engine-unreachable'],
    ['EACCES', 'engine-denied'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'engine-denied'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'engine-denied'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'engine-denied'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'engine-denied'],
  ] as const) {
    it(`says ${said} to ${code} and names the site`, () => {
      expect(connectionFailure('store-1', error(code), waiting)).to.include({
        code: said,
        message: `store-1: connect ${code} /run/docker.sock`,
      })
    })
  }

  it('G12 says interrupted when the caller gave up', () => {
    const failure = connectionFailure('store-1', error('ABORT_ERR'), AbortSignal.abort())
    expect(failure.code).to.equal('interrupted')
  })
})
