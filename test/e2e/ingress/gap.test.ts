import { expect } from 'chai'
import { createIngressScene } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { ask, keepAsking } from '../../support/network/requests.ts'
import { openWebSocket } from '../../support/network/web-socket.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const host = 'shop.example'
const shop = { name: 'shop', replicas: 1, routes: [{ host }] }

describe('an update', () => {
  const it = sideBySide(2)

  it('P11 P12 leaves a WebSocket to the old instance until its grace period is over', async () => {
    await using scene = await createIngressScene({}, { commands: 'here' })
    const apply = () => scene.tallyman.run('apply', '--output', 'json')
    await scene.release({ ...shop, version: '1', stopGrace: '4s' })
    expectCode(await apply(), 0)
    await using socket = await openWebSocket(scene.http, host)
    const { echoes } = socket

    await scene.release({ ...shop, version: '2', stopGrace: '4s' })
    const applying = apply()
    await waitUntil('2 answers', async () => (await ask({ port: scene.http, host, path: '/' })).body === '2')
    const atSwitch = echoes()
    const ended = Promise.race([socket.closed.then(() => 'the socket'), applying.then(() => 'the update')])
    expect(await ended, 'the old instance goes before the update ends').to.equal('the socket')
    // One word takes 50 ms and more: it went on for a good part of the grace period.
    expect(echoes()).to.be.greaterThan(atSwitch + 20)
    expectCode(await applying, 0)
  })

  it('P10 X4 holds requests through the gap of a Recreate for as long as their route says', async () => {
    await using scene = await createIngressScene({ hold: '0s' }, { commands: 'here' })
    const apply = () => scene.tallyman.run('apply', '--output', 'json')
    const held = {
      ...shop,
      replicas: 2,
      routes: [{ host, hold: '60s' }],
      strategy: { type: 'Recreate' },
      env: { READY_AFTER_MS: '1000' },
    }
    await scene.release({ ...held, version: '1' })
    expectCode(await apply(), 0)
    await using asking = keepAsking({ port: scene.http, host, path: '/?ms=20' })
    await scene.release({ ...held, version: '2' })
    expectCode(await apply(), 0)
    await waitUntil('2 answers', () => asking.so().bodies.has('2'))
    const { failed, bodies } = await asking.end()
    expect([failed, [...bodies]]).to.deep.equal([[], ['1', '2']])
  })
})
