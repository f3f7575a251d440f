import { expect } from 'chai'
import { createIngressScene } from '../../scenes/ingress-scene.ts'
import { startSecondEngine } from '../../support/engine/dockerd.ts'
import { keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('requests of users, when their engine is started again', () => {
  it('P12 G12 are answered again in the middle of a rollout, which then comes to its end by itself', async () => {
    await using engine = await startSecondEngine()
    await using scene = await createIngressScene(
      // The networks of both engines are the host's.
      { subnets: '10.214.0.0/16' },
      { dockerSocket: engine.socket },
    )
    const shop = { name: 'shop', replicas: 2, routes: [{ host: 'shop.example' }] }
    await scene.release({ ...shop, version: '1' })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)

    const asked = { port: scene.http, host: 'shop.example', path: '/?ms=50' }
    await using asking = keepAsking(asked)
    await waitUntil('1 answers', () => asking.so().bodies.has('1'))
    const second = await scene.release({ ...shop, version: '2' })
    await waitUntil('2 answers', () => asking.so().bodies.has('2'))
    await engine.restart()

    const { answered } = asking.so()
    await waitUntil('they are answered again', () => asking.so().answered > answered + 50)
    await daemon.until(
      'it is in sync',
      seen => seen.revision?.commit === second && seen.sync === 'Synced' && seen.running === undefined,
    )
    await asking.end()
    await using after = keepAsking(asked)
    await waitUntil('they go on', () => after.so().answered > 100)
    const { failed, bodies } = await after.end()
    expect([failed, [...bodies]]).to.deep.equal([[], ['2']])
  })
})
