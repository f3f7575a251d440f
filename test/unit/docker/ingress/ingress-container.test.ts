import { expect } from 'chai'
import { requestsTo } from '../../../../lib/docker/ingress/ingress-container.ts'
import { redactNothing } from '../../../../lib/text/redaction/redact.ts'

describe('requestsTo', () => {
  const answer = (...upstreams: readonly (readonly [string, number])[]) =>
    JSON.stringify(upstreams.map(([address, num_requests]) => ({ address, num_requests, fails: 0 })))

  it('P12 counts what is under way to an address, whatever the port', () => {
    const said = answer(['10.201.0.2:8000', 1], ['10.201.0.2:9000', 2], ['10.201.0.3:8000', 4])
    expect(requestsTo('10.201.0.2', said, redactNothing)).to.equal(3)
  })

  it('P12 takes no address for one that begins alike', () => {
    expect(requestsTo('10.201.0.2', answer(['10.201.0.22:8000', 1]), redactNothing)).to.equal(0)
  })

  it('P12 takes an address that is not named for one without requests', () => {
    expect(requestsTo('10.201.0.2', '[]\n', redactNothing)).to.equal(0)
  })

  it('P12 says in words what is no answer', () => {
    expect(requestsTo('10.201.0.2', '404 page not found\n', redactNothing)).to.equal('404 page not found')
    expect(requestsTo('10.201.0.2', '{"error":"no"}', redactNothing)).to.equal('{"error":"no"}')
    expect(requestsTo('10.201.0.2', '', redactNothing)).to.equal('it answers nothing')
  })
})
