import { expect } from 'chai'
import { endpointOf } from '../../../../lib/docker/api/endpoint.ts'
import { Failure } from '../../../../lib/errors.ts'

const tls = { ca: '/etc/tallyman/ca.pem', cert: '/etc/tallyman/cert.pem', key: '/etc/tallyman/key.pem' }

describe('endpointOf', () => {
  it('takes the local socket where nothing is said', () => {
    expect(endpointOf({ name: 'local' }, {})).to.deep.equal({ kind: 'unix', path: '/var/run/docker.sock' })
  })

  it('takes DOCKER_HOST and its certificates where the site says nothing', () => {
    const env = {
      DOCKER_HOST: 'tcp://10.0.0.7:2376',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: '/etc/docker/certs',
    }
    expect(endpointOf({ name: 'local' }, env)).to.deep.equal({
      kind: 'tcp',
      host: '10.0.0.7',
      port: 2376,
      tls: {
        ca: '/etc/docker/certs/ca.pem',
        cert: '/etc/docker/certs/cert.pem',
        key: '/etc/docker/certs/key.pem',
      },
    })
  })

  it("prefers the site's own endpoint, without the certificates of the environment", () => {
    const env = { DOCKER_HOST: 'unix:///run/other.sock', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' }
    expect(endpointOf({ name: 'store-1', endpoint: 'tcp://store-1:2375' }, env)).to.deep.equal({
      kind: 'tcp',
      host: 'store-1',
      port: 2375,
    })
  })

  it('reads a socket of another place', () => {
    expect(endpointOf({ name: 'local', endpoint: 'unix:///run/user/1000/docker.sock' }, {})).to.deep.equal({
      kind: 'unix',
      path: '/run/user/1000/docker.sock',
    })
  })

  it("knows Docker's usual ports, with TLS and without", () => {
    expect(endpointOf({ name: 'a', endpoint: 'tcp://a', tls }, {})).to.include({ port: 2376 })
    expect(endpointOf({ name: 'a', endpoint: 'tcp://a' }, {})).to.include({ port: 2375 })
  })

  it('reads an IPv6 address', () => {
    expect(endpointOf({ name: 'a', endpoint: 'tcp://[fd00::7]:2375' }, {})).to.include({ host: 'fd00::7' })
  })

  for (const endpoint of ['ssh://store-1', 'store-1:2375', 'unix://relative.sock', 'tcp://']) {
    it(`refuses ${endpoint} and names the site`, () => {
      expect(() => endpointOf({ name: 'store-1', endpoint }, {}))
        .to.throw(Failure, `sites/store-1/endpoint: "${endpoint}" is not a unix:// or tcp:// address`)
        .with.property('code', 'config-invalid')
    })
  }
})
