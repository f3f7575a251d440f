import { expect } from 'chai'
import { apiHost, canonicalHost, isLoopback, tokenHostsOf } from '../../../../lib/registry/api/host.ts'

describe('registry hosts', () => {
  for (const name of [
    'docker.io',
    'Docker.IO',
    'index.docker.io',
    'registry-1.docker.io',
    'https://index.docker.io/v1/',
    'docker.io:443',
    'https://index.docker.io:443/v1/',
  ]) {
    it(`E24 knows Docker Hub as "${name}"`, () => {
      expect(canonicalHost(name)).to.equal('docker.io')
    })
  }

  it('G16 knows who gives out tokens without being named: the registry itself, and the one of Docker Hub', () => {
    expect(tokenHostsOf('docker.io')).to.deep.equal(['registry-1.docker.io', 'auth.docker.io'])
    expect(tokenHostsOf('registry.example.com:5000')).to.deep.equal(['registry.example.com:5000'])
  })

  it('E24 keeps a port, which makes it another registry', () => {
    expect(canonicalHost('https://Registry.Example.com:5000/')).to.equal('registry.example.com:5000')
  })

  it('E24 leaves the port of HTTPS out, which makes no other registry', () => {
    expect(canonicalHost('registry.example.com:443')).to.equal('registry.example.com')
    expect(canonicalHost('https://[2001:db8::1]:443/')).to.equal('[2001:db8::1]')
    expect(canonicalHost('http://registry.example.com:443')).to.equal('registry.example.com:443')
    expect(canonicalHost('localhost:443')).to.equal('localhost:443')
    expect(canonicalHost('no host:443')).to.equal('no host')
  })

  it('E24 leaves the dot at the end of a name out, which makes no other registry', () => {
    expect(canonicalHost('registry.example.com.')).to.equal('registry.example.com')
    expect(canonicalHost('registry.example.com.:5000/team')).to.equal('registry.example.com:5000/team')
    expect(canonicalHost('docker.io.')).to.equal('docker.io')
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
