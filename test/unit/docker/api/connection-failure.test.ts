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
  ] as const) {
    it(`says ${said} to ${code} and names the site`, () => {
      expect(connectionFailure('store-1', error(code), waiting)).to.include({
        code: said,
        message: `store-1: connect ${code} /run/docker.sock`,
      })
    })
  }

  for (const [code, message, told] of [
    [
      'CERT_HAS_EXPIRED',
      'certificate has expired',
      "the engine's certificate is not accepted: certificate has expired",
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'unable to verify the first certificate',
      "the engine's certificate is not accepted: unable to verify the first certificate",
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'IP: 10.0.7.2 is not in the list',
      "the engine's certificate is not accepted: IP: 10.0.7.2 is not in the list",
    ],
    [
      'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE',
      '40DD:error:0A000412:SSL routines:ssl3_read_bytes:ssl/tls alert bad certificate:../deps/record/rec_layer_s3.c:918:SSL alert number 42\n',
      "the engine does not accept Tallyman's certificate: bad certificate",
    ],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'no words of its own',
      "the engine does not accept Tallyman's certificate: certificate required",
    ],
    [
      'EPROTO',
      'write EPROTO 40DD:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:../deps/record/rec_layer_s3.c:918:SSL alert number 40\n',
      'the engine refuses to speak TLS: handshake failure',
    ],
  ] as const) {
    it(`G13 says engine-denied to ${code}, and why in one line`, () => {
      const error = Object.assign(new Error(message), { code })
      expect(connectionFailure('store-1', error, waiting)).to.include({
        code: 'engine-denied',
        message: `store-1: ${told}`,
      })
    })
  }

  it('G12 says interrupted when the caller gave up', () => {
    const failure = connectionFailure('store-1', error('ABORT_ERR'), AbortSignal.abort())
    expect(failure.code).to.equal('interrupted')
  })
})
