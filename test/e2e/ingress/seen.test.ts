import { expect } from 'chai'
import { createIngressScene, type IngressScene } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import type { Daemon } from '../../support/command/tallyman.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { freePort } from '../../support/network/free-port.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { ask } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

type Stage = { readonly scene: IngressScene; readonly daemon: Daemon; readonly health: number }

/** Two instances behind two hosts; one has a certificate of the ingress's own, the other can get none. */
async function prepared(): Promise<Stage & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const health = await freePort()
  const ingress = {
    health: { port: health, addresses: ['127.0.0.1'] },
    acme: { directory: 'https://127.0.0.1:1/directory' },
  }
  const scene = stack.use(await createIngressScene(ingress, { commands: 'here', caddy: 'older' }))
  const routes = [
    { host: 'shop.example', tls: 'internal', redirect: false },
    { host: 'new.example', tls: 'auto', redirect: false },
  ]
  await scene.release({ name: 'shop', version: '1', routes })
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  const parts = stack.move()
  return { scene, daemon, health, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

describe('seeing the ingress', () => {
  let stage: Stage & AsyncDisposable

  before(async () => {
    stage = await prepared()
  })

  after(() => stage[Symbol.asyncDispose]())

  it('G13 status shows routes, who gets their requests, and certificates with their expiry', async () => {
    const { tallyman } = stage.scene
    const status = await waitUntil('the certificate is there', async () => {
      const { stdout } = await tallyman.run('status')
      return stdout.includes('Caddy Local Authority') && stdout
    })
    expect(status).to.match(/^ {2}https:\/\/shop\.example\/ +shop\/web +local +2 of 2$/m)
    expect(status).to.match(
      /^ {2}shop\.example +local +Caddy Local Authority\D*\d{4}-\d\d-\d\d {2}less than a day left$/m,
    )
    expect(status).to.match(/^ {2}new\.example +local +there is none yet$/m)
    const [{ ingress }] = JSON.parse((await tallyman.run('status', '--output', 'json')).stdout)
    const [{ site, isDraining, certificates }] = ingress
    expect({ site, isDraining }).to.deep.equal({ site: 'local', isDraining: false })
    expect(certificates[0]).to.deep.equal({ names: ['new.example'], state: 'missing' })
    expect(certificates[1]).to.include({ state: 'valid', daysLeft: 0 })
  })

  it('G13 metrics count requests, and the instances of each route', async () => {
    const { scene } = stage
    for (const host of ['shop.example', 'new.example', 'nobody.example'])
      await ask({ port: scene.http, host, path: '/' })
    const at = `environment="${scene.environment}",site="local"`
    const printed = await waitUntil('they are counted', async () => {
      const { stdout } = await scene.tallyman.run('metrics')
      return stdout.includes(`tallyman_ingress_requests_total{${at},server="http"} 3\n`) && stdout
    })
    const durations = `tallyman_ingress_request_duration_seconds_count{${at},server="http"`
    expect(printed).to.include(`${durations},code="2xx"} 2\n`).and.include(`${durations},code="4xx"} 1\n`)
    const web = `{${at},application="shop",service="web",route="https://shop.example/"}`
    expect(printed).to.include(`tallyman_route_instances${web} 2\n`)
    const socketPath = `${scene.tallyman.stateDir}/control.sock`
    const answer = await httpCall({ socketPath, path: '/metrics', agent: false })
    expect(answer.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8')
  })

  it('P12 a drained site says so to load balancers, also when its ingress was made anew', async () => {
    const { scene, daemon, health: port } = stage
    const { tallyman, dockerSocket } = scene
    const health = async () => {
      const asked = { port, host: 'health', path: '/healthz/shop.example' }
      return (await ask(asked).catch(() => undefined))?.status
    }
    expect(await health()).to.equal(200)
    expectCode(await tallyman.run('drain', 'local'), 0)
    expect(await health()).to.equal(503)
    expect((await tallyman.run('status')).stdout).to.include('  drained local: ')
    expect((await ask({ port: scene.http, host: 'shop.example', path: '/' })).status).to.equal(200)

    const ingress = (await scene.containers()).find(({ service }) => service === 'tallyman-ingress')
    await engineCall(dockerSocket, 'DELETE', `/containers/${ingress?.id}?force=1`)
    await waitUntil('another one answers', async () => {
      const seen = await scene.containers()
      const [again] = seen.filter(({ service }) => service === 'tallyman-ingress')
      return again !== undefined && again.id !== ingress?.id && (await health()) === 503
    })
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(await health()).to.equal(503)
    expectCode(await tallyman.run('undrain', 'local'), 0)
    expect(await health()).to.equal(200)
  })

  it('P12 a site that is not there cannot be drained', async () => {
    const ran = await stage.scene.tallyman.run('drain', 'elsewhere')
    expectCode(ran, 64)
    expect(ran.stderr).to.include('there is no site "elsewhere"').and.include('There are: local.')
  })
})
