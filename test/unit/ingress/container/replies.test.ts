import { expect } from 'chai'
import {
  certificateAt,
  isNotThere,
  isOlder,
  loadedMarkIn,
  requestsUnderWay,
} from '../../../../lib/ingress/container/replies.ts'

describe('what Caddy replies', () => {
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

  it('P33 tells a Caddy that does not listen yet from one that refuses', () => {
    const refused = 'Error: sending configuration: dial tcp 127.0.0.1:2019: connect: connection refused'
    expect(isNotThere({ output: refused, exitCode: 1 })).to.equal(true)
    expect(isNotThere({ output: 'Error: HTTP 400', exitCode: 1 })).to.equal(false)
    expect(isNotThere({ output: refused, exitCode: 0 })).to.equal(false)
  })

  it('P33 reads the mark of what is loaded, and takes no id of the operator for one', () => {
    expect(loadedMarkIn('"tallyman-routes-0a1b2c3d"\n')).to.equal('0a1b2c3d')
    expect(loadedMarkIn('"mine"\n')).to.equal(undefined)
    expect(loadedMarkIn('null\n')).to.equal(undefined)
  })

  it('P12 takes only a list for an answer about requests under way', () => {
    expect(requestsUnderWay('10.201.0.2', '[{"address":"10.201.0.2:80","num_requests":2}]')).to.equal(2)
    expect(requestsUnderWay('10.201.0.2', '[]\n')).to.equal(0)
    expect(requestsUnderWay('10.201.0.2', '{"error":"no"}')).to.equal(undefined)
    expect(requestsUnderWay('10.201.0.2', '[null]')).to.equal(undefined)
    expect(requestsUnderWay('10.201.0.2', '[{"address":80}]')).to.equal(undefined)
  })

  it('P34 reads certificates, and never their keys', () => {
    const below = 'certificates/acme-v02.api.letsencrypt.org-directory/shop.example.com/shop.example.com'
    expect(certificateAt(`${below}.crt`)).to.deep.equal({ isInternal: false })
    expect(certificateAt('certificates/local/shop.example.com/shop.example.com.crt')).to.deep.equal({
      isInternal: true,
    })
    expect(certificateAt(`${below}.key`)).to.equal(undefined)
    expect(certificateAt(`${below}.json`)).to.equal(undefined)
  })
})
