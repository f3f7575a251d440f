import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { requestFigures } from '../../../lib/ingress/figures.ts'
import { ingressName } from '../../../lib/state/route.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { testSite } from '../docker/site.ts'
import { type Stand, stand } from './stand.ts'

describe('what the ingress says of itself', () => {
  let at: Stand
  const report = async () => at.site.engine.ingress(at.site.provenance, at.site.signal)
  const setDraining = (isDraining: boolean) =>
    at.site.engine.setDraining(at.site.provenance, isDraining, at.site.signal)

  before(async () => {
    at = await stand({ web: 1, nobody: 0 }, [
      { service: 'web', host: 'shop.example.com', tls: 'internal' },
      { service: 'web', host: '*.wild.example.com', tls: 'internal' },
      { service: 'web', host: 'plain.example.com' },
      { service: 'nobody', host: 'nobody.example.com', holdMs: 0 },
    ])
  })

  after(() => at[Symbol.asyncDispose]())

  it('G13 shows the certificates it made, and never a key', async () => {
    const obtained = await waitUntil('both are there', async () => {
      const { obtained = [] } = (await report()) ?? {}
      return obtained.length === 2 && obtained
    })
    const told = obtained.map(({ isInternal, pem }) => [isInternal, new X509Certificate(pem).subjectAltName])
    expect(told.toSorted()).to.deep.equal([
      [true, 'DNS:*.wild.example.com'],
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
    const { metrics = '' } = (await report()) ?? {}
    const { requests, errors, durations } = requestFigures(metrics)
    const plain = { server: 'http' }
    expect(requests).to.deep.equal([{ labels: plain, value: 5 }])
    expect(errors).to.deep.equal([{ labels: plain, value: 1 }])
    const counted = durations.map(({ labels, count }) => [labels.server, labels.code, count])
    expect(counted).to.deep.equal([
      ['http', '2xx', 2],
      ['http', '3xx', 1],
      ['http', '4xx', 1],
    ])
  })

  it('X15 is drained on request, and stays so when its container is started again', async () => {
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

describe('a site without an ingress', () => {
  it('X15 has nothing to say, and nothing to drain', async () => {
    await using site = await testSite()
    const { engine, provenance, signal } = site
    expect(await engine.ingress(provenance, signal)).to.equal(undefined)
    const failure = await engine.setDraining(provenance, true, signal).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'ingress-unreachable' })
  })
})
