import { expect } from 'chai'
import type { Instance } from '../../../../lib/state/application/application.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { digestOf, fingerprintOf, shortFingerprint } from '../../../../lib/state/application/fingerprint.ts'
import { digest } from '../../../support/builders/builders.ts'

const owner = { environment: 'prod', application: 'shop', service: 'web' }

const web: Container = {
  name: 'web',
  image: { reference: 'example.com/team/web:1', pin: { state: 'pinned', digest: digest('a') } },
  entrypoint: ['/bin/web'],
  command: ['serve'],
  env: { LEVEL: 'info', REGION: 'eu' },
  user: '1000:1000',
  workingDir: '/srv',
  labels: { team: 'shop', tier: 'front' },
  ports: [{ target: 8080, published: 80, protocol: 'tcp' }],
  mounts: [{ kind: 'volume', volume: 'data', path: '/data', exclusive: true }],
  healthcheck: { kind: 'command', test: ['CMD', 'true'], intervalMs: 1_000 },
  restart: { name: 'on-failure', maxRetries: 3 },
  stopGraceMs: 10_000,
  memoryBytes: 1_048_576,
}

function printOf(container: Partial<Container> = {}, parts: Partial<Instance> = {}): string {
  return fingerprintOf(owner, {
    containers: [{ ...web, ...container }],
    network: { name: 'prod.shop' },
    volumes: [],
    ...parts,
  })
}

describe('a fingerprint', () => {
  it('G2 stays what it is in scheme v1: another one would replace everything that runs', () => {
    expect(printOf()).to.equal('v1:6a78698147f0ec5817337f2c17c239cc02381d2a59a466e4dff63577d3234603')
  })

  it('G2 does not depend on the order in which keys stand', () => {
    const { labels: _, env: __, ...rest } = web
    const turned: Container = {
      ...rest,
      env: { REGION: 'eu', LEVEL: 'info' },
      labels: { tier: 'front', team: 'shop' },
    }
    expect(printOf(turned)).to.equal(printOf())
  })

  it('D5 does not depend on the digest that was asked for, only on the one that is', () => {
    expect(printOf({ image: { ...web.image, expectedDigest: digest('a') } })).to.equal(printOf())
  })

  const others: Record<string, Partial<Container>> = {
    name: { name: 'site' },
    'the reference of the image': { image: { ...web.image, reference: 'example.com/team/web:2' } },
    'the digest of the image': { image: { ...web.image, pin: { state: 'pinned', digest: digest('b') } } },
    'an image without a digest': {
      image: { ...web.image, pin: { state: 'unverified', imageId: digest('c') } },
    },
    entrypoint: { entrypoint: ['/bin/site'] },
    command: { command: ['serve', '--fast'] },
    'the order of the command': { entrypoint: ['serve'], command: ['/bin/web'] },
    'a variable': { env: { LEVEL: 'debug', REGION: 'eu' } },
    'a variable more': { env: { LEVEL: 'info', REGION: 'eu', TRACE: '' } },
    user: { user: '0' },
    groupAdd: { groupAdd: ['44'] },
    tty: { tty: true },
    stdinOpen: { stdinOpen: true },
    dnsSearch: { dnsSearch: ['a.example'] },
    memoryReservationBytes: { memoryReservationBytes: 1_048_576 },
    memorySwapBytes: { memorySwapBytes: -1 },
    cpuset: { cpuset: '0' },
    cpuShares: { cpuShares: 2 },
    oomScoreAdj: { oomScoreAdj: 1 },
    'the owner of a file': { files: [{ path: '/a', content: '', mode: 0o444, uid: 1 }] },
    workingDir: { workingDir: '/' },
    hostname: { hostname: 'web' },
    'a label': { labels: { team: 'shop', tier: 'back' } },
    'a port': { ports: [{ target: 8080, published: 81, protocol: 'tcp' }] },
    'a mount': {
      mounts: [{ kind: 'volume', volume: 'data', path: '/data', readOnly: true, exclusive: true }],
    },
    healthcheck: { healthcheck: { kind: 'none' } },
    restart: { restart: { name: 'on-failure', maxRetries: 4 } },
    stopSignal: { stopSignal: 'SIGINT' },
    stopGraceMs: { stopGraceMs: 11_000 },
    init: { init: true },
    readOnly: { readOnly: true },
    privileged: { privileged: true },
    capAdd: { capAdd: ['NET_ADMIN'] },
    capDrop: { capDrop: ['ALL'] },
    securityOpt: { securityOpt: ['no-new-privileges'] },
    devices: { devices: [{ host: '/dev/fuse', container: '/dev/fuse', permissions: 'rwm' }] },
    sysctls: { sysctls: { 'net.core.somaxconn': '1024' } },
    ulimits: { ulimits: [{ name: 'nofile', soft: 1024, hard: 2048 }] },
    extraHosts: { extraHosts: ['db:10.0.0.1'] },
    dns: { dns: ['10.0.0.53'] },
    shmSizeBytes: { shmSizeBytes: 1_048_576 },
    memoryBytes: { memoryBytes: 2_097_152 },
    nanoCpus: { nanoCpus: 500_000_000 },
    pidsLimit: { pidsLimit: 100 },
    logging: { logging: { driver: 'json-file', options: { 'max-size': '10m' } } },
  }
  for (const [what, parts] of Object.entries(others)) {
    it(`G2 is another one with another ${what}`, () => {
      expect(printOf(parts)).not.to.equal(printOf())
    })
  }

  it('G2 is another one on another network, with a further name, with another container, or of another service', () => {
    const prints = [
      printOf(),
      printOf({}, { network: { name: 'prod' } }),
      printOf({}, { aliases: ['cache'] }),
      printOf({}, { containers: [web, { ...web, name: 'log' }] }),
      fingerprintOf(
        { ...owner, service: 'api' },
        { containers: [web], network: { name: 'prod.shop' }, volumes: [] },
      ),
      fingerprintOf(
        { ...owner, application: 'api' },
        { containers: [web], network: { name: 'prod.shop' }, volumes: [] },
      ),
      fingerprintOf(
        { ...owner, environment: 'devel' },
        { containers: [web], network: { name: 'prod.shop' }, volumes: [] },
      ),
    ]
    expect(new Set(prints)).to.have.lengthOf(7)
  })

  it('lends its first eight digits to the name of a container', () => {
    expect(shortFingerprint('v1:0123456789abcdef')).to.equal('01234567')
  })
})

describe('the digest a label carries', () => {
  it('E26 is empty for an image that has none', () => {
    expect([
      digestOf({ state: 'pinned', digest: digest('a') }),
      digestOf({ state: 'unverified', imageId: digest('b') }),
      digestOf({ state: 'unknown', reason: 'no answer' }),
    ]).to.deep.equal([digest('a'), '', ''])
  })
})
