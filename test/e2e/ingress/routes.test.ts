import { expect } from 'chai'
import { createIngressScene, type WebApplication } from '../../scenes/ingress-scene.ts'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { ask, keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('a change of routes', () => {
  it('P12 P33 costs the others nothing, restarts nothing, and leaves nothing behind', async () => {
    // No request waits for an instance: where there is none, that shows.
    await using scene = await createIngressScene({ hold: '0s' }, { commands: 'here' })
    const { http: port, dockerSocket, environment, tallyman } = scene
    const shop: WebApplication = {
      name: 'shop',
      version: 'shop',
      replicas: 1,
      routes: [{ host: 'shop.example' }],
    }
    const news: WebApplication = {
      name: 'news',
      version: 'news',
      replicas: 1,
      routes: [{ host: 'news.example' }],
    }
    const apply = () => tallyman.run('apply', '--output', 'json')
    const said = async (host: string) => {
      const { status, body } = await ask({ port, host, path: '/' })
      return status === 200 ? body : status
    }
    const gate = async () =>
      (await engineCall(dockerSocket, 'GET', `/networks/${environment}.news.ingress`)).status

    await scene.release(shop)
    expectCode(await apply(), 0)
    const before = await scene.ingress()

    // Caddy closes idle connections, and at times a new one, when it takes a configuration: those requests are sent again.
    await using asking = keepAsking({ port, host: 'shop.example', path: '/?ms=50' }, { sendAgain: true })
    await scene.release(shop, news)
    expectCode(await apply(), 0)
    expect(await said('news.example')).to.equal('news')
    expect(await gate()).to.equal(200)

    await scene.release(shop, { ...news, routes: [{ host: 'news.example' }, { host: 'shop.example' }] })
    const refused = await apply()
    expectCode(refused, 1)
    expect(documentOf(refused).error).to.include({ code: 'route-taken' })
    expect([await said('news.example'), await said('shop.example')]).to.deep.equal(['news', 'shop'])

    await scene.release(shop, { ...news, routes: [] })
    expectCode(await apply(), 0)
    expect(await said('news.example')).to.equal(404)
    await waitUntil('its gate is gone', async () => (await gate()) === 404)

    const moved: WebApplication = { name: 'moved', version: 'moved', replicas: 1, routes: shop.routes }
    await scene.release({ ...shop, routes: [{ host: 'old.example' }] }, { ...news, routes: [] }, moved)
    expectCode(await apply(), 0)
    await waitUntil('the new owner of the route answers', () => asking.so().bodies.has('moved'))

    const { answered, bodies, failed, resent } = await asking.end()
    expect(failed).to.deep.equal([])
    expect([...bodies]).to.deep.equal(['shop', 'moved'])
    expect(answered).to.be.greaterThan(100)
    // Three configurations were loaded, and there are 16 connections.
    expect(resent).to.be.at.most(48)
    expect(await scene.ingress()).to.deep.equal(before)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
