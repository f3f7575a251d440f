import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { requestFigures } from '../../../lib/ingress/figures.ts'
import { ingressName } from '../../../lib/state/application/ingress/route.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { testSite } from '../docker/site.ts'
import { describeEach, type Stand, stand } from './stand.ts'

describeEach('what the ingress says of itself', caddy => {
  let at: Stand
  const report = async () => at.site.engine.ingress(at.site.provenance, at.site.signal)
  const setDraining = (isDraining: boolean) =>
    at.site.engine.setDraining(at.site.provenance, isDraining, at.site.signal)

  before(async () => {
    at = await stand(caddy, { web: 1, nobody: 0 }, [
      { service: 'web', host: 'shop.example.com', tls: 'internal' },
      { service: 'web', host: 'inside.example.com', tls: 'internal' },
      { service: 'web', host: 'plain.example.com' },
      { service: 'nobody', host: 'nobody.example.com', holdMs: 0 },
    ])
  })

  // There is none where that Caddy cannot be had.
  after(() => at?.[Symbol.asyncDispose]())

  it('G13 shows the certificates it made, and never a key', async () => {
    const bothAreThere = async () => {
      const { obtained = [] } = (await report()) ?? {}
      return obtained.length === 2 && obtained
    }
    const obtained = await waitUntil('both are there', bothAreThere)
    const told = obtained.map(({ isInternal, pem }) => [isInternal, new X509Certificate(pem).subjectAltName])
    expect(told.toSorted()).to.deep.equal([
      [true, 'DNS:inside.example.com'],
      [true, 'DNS:shop.example.com'],
    ])
    expect(JSON.stringify(await report())).to.not.include('PRIVATE KEY')
  })

  it('G13 counts every request once, by where it came in and what it got', async () => {
    for (const address of [
      'plain.example.com/',
      'plain.example.com/',
      'other.example.com/',
      'shop.example.com/',
    ])
      await at.http(address)
    await at.http('nobody.example.com/')
    await at.health('/healthz/plain.example.com')
    const metrics = (await report())?.metrics
    if (typeof metrics !== 'string') throw metrics ?? new Error('no ingress runs')
    const { requests, errors, durations } = await requestFigures(metrics, async () => undefined)
    const told = {
      requests: requests.map(({ labels, value }) => [labels.host, value]),
      errors: errors.map(({ labels, value }) => [labels.host, value]),
      durations: durations.map(({ labels, count }) => [labels.host, labels.code, count]),
    }
    expect(told).to.deep.equal(counted[caddy])
  })

  it('P12 is drained on request, and stays so when its container is started again', async () => {
    const drained = async () => (await report())?.isDraining
    expect(await drained()).to.equal(false)
    await setDraining(true)
    await setDraining(true)
    expect(await drained()).to.equal(true)
    await at.exec(ingressName, 'kill -KILL $(pidof caddy)')
    await waitUntil('it is back', async () => (await drained().catch(() => undefined)) === true)
    const health = await waitUntil('it answers', () => at.health('/healthz/x').catch(() => undefined))
    expect(health.status).to.equal(503)
    await setDraining(false)
    await setDraining(false)
    expect(await drained()).to.equal(false)
  })
})

/** All over HTTP: two of one host, one of nobody's, one that is sent on, and one that nobody answers. */
const counted = {
  older: {
    requests: [[undefined, 5]],
    errors: [[undefined, 1]],
    durations: [
      [undefined, '2xx', 2],
      [undefined, '3xx', 1],
      [undefined, '4xx', 1],
    ],
  },
  newer: {
    requests: [
      ['nobody.example.com', 1],
      ['plain.example.com', 2],
      ['shop.example.com', 1],
      [undefined, 1],
    ],
    errors: [['nobody.example.com', 1]],
    durations: [
      ['nobody.example.com', '5xx', 1],
      ['plain.example.com', '2xx', 2],
      ['shop.example.com', '3xx', 1],
      [undefined, '4xx', 1],
    ],
  },
}

describe('a site without an ingress', () => {
  it('P12 has nothing to say, and nothing to drain', async () => {
    await using site = await testSite()
    const { engine, provenance, signal } = site
    expect(await engine.ingress(provenance, signal)).to.equal(undefined)
    const failure = await engine.setDraining(provenance, true, signal).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'ingress-unreachable' })
  })
})
