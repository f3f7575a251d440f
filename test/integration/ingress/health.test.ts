import { expect } from 'chai'
import { describeEach, type Stand, stand } from './stand.ts'

describeEach('what load balancers ask', caddy => {
  let at: Stand

  before(async () => {
    at = await stand(caddy, { web: 1, nobody: 0 }, [
      { service: 'web', host: 'shop.example.com', tls: 'internal' },
      { service: 'web', host: '*.wild.example.com' },
      { service: 'nobody', host: 'nobody.example.com' },
    ])
  })

  after(() => at[Symbol.asyncDispose]())

  it('P12 is answered for each host: 200 while an instance takes requests, 503 while none does', async () => {
    const statuses = ['shop', 'a.wild', 'nobody', 'other'].map(
      async name => (await at.health(`/healthz/${name}.example.com`)).status,
    )
    expect(await Promise.all(statuses)).to.deep.equal([200, 200, 503, 404])
  })

  it('P12 is answered for the host that is named in Host, too', async () => {
    expect((await at.health('/healthz', 'shop.example.com')).status).to.equal(200)
    expect((await at.health('/healthz', 'nobody.example.com')).status).to.equal(503)
  })

  it('P12 is 503 for all while the site is drained', async () => {
    const { engine, provenance, signal } = at.site
    await engine.setDraining(provenance, true, signal)
    const drained = await at.health('/healthz/shop.example.com')
    await engine.setDraining(provenance, false, signal)
    const back = await at.health('/healthz/shop.example.com')
    expect([drained.status, back.status]).to.deep.equal([503, 200])
  })
})
