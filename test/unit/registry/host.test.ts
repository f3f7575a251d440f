import { expect } from 'chai'
import { apiHost, canonicalHost, isLoopback } from '../../../lib/registry/host.ts'

describe('registry hosts', () => {
  for (const name of [
    'docker.io',
    'Docker.IO',
    'index.docker.io',
    'registry-1.docker.io',
    'https://index.docker.io/v1/',
  ]) {
    it(`E24 knows Docker Hub as "${name}"`, () => {
      expect(canonicalHost(name)).to.equal('docker.io')
    })
  }

  it('E24 keeps a port, which makes it another registry', () => {
    expect(canonicalHost('https://Registry.Example.com:5000/')).to.equal('registry.example.com:5000')
  })

  it("E24 finds Docker Hub's own interface under its other name", () => {
    expect(apiHost('docker.io')).to.equal('registry-1.docker.io')
    expect(apiHost('registry.example.com')).to.equal('registry.example.com')
  })

  for (const host of ['localhost', 'localhost:5000', '127.0.0.1:5000', '127.8.0.1', '[::1]:5000'])
    it(`E24 speaks plain HTTP to ${host}`, () => {
      expect(isLoopback(host)).to.equal(true)
    })

  for (const host of [
    'registry.example.com',
    '10.0.0.1:5000',
    '127.0.0.1.example.com',
    'localhost.example.com',
  ])
    it(`E24 speaks HTTPS to ${host}`, () => {
      expect(isLoopback(host)).to.equal(false)
    })
})
