import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { pushCaddy } from '../support/caddy.ts'
import { engineCall } from '../support/engine-call.ts'
import { httpCall } from '../support/http-call.ts'
import { ask } from '../support/requests.ts'
import type { Daemon } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectCode } from './document.ts'
import { createScene, type Scene } from './scene.ts'

type Stage = { readonly scene: Scene; readonly daemon: Daemon; readonly port: number }

/** Two instances behind two hosts; one has a certificate of the ingress's own, the other can get none. */
async function prepared(): Promise<Stage & AsyncDisposable> {
  const port = randomInt(20_000, 30_000)
  const local = (port: number) => ({ port, addresses: ['127.0.0.1'] })
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(
    await createScene({
      config: prefix => ({
        ingress: {
          image: `${prefix}/caddy:2`,
          http: local(port),
          https: local(port + 1),
          health: local(port + 2),
          acme: { directory: 'https://127.0.0.1:1/directory' },
        },
      }),
    }),
  )
  await pushCaddy(scene.registry, `${scene.environment}/caddy`, '2', 'older')
  await scene.push('web', '1', {
    files: { '/www/index.html': 'web' },
    cmd: ['httpd', '-f', '-p', '8000', '-h', '/www'],
  })
  const route = { port: 8000, redirect: false }
  const web = {
    name: 'web',
    replicas: 2,
    ingress: [
      { ...route, host: 'shop.example', tls: 'internal' },
      { ...route, host: 'new.example', tls: 'auto' },
    ],
    containers: [{ name: 'web', image: 'web' }],
  }
  await scene.commit(
    {
      services: [{ name: 'shop', containers: [{ dockerName: 'web', dockerTag: '1' }] }],
      skipConfirmation: true,
    },
    'Open the shop',
    { 'applications/shop.yaml': stringify({ name: 'shop', services: [web] }) },
  )
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  const parts = stack.move()
  return { scene, daemon, port, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

describe('seeing the ingress', function () {
  this.timeout(120_000)
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
    const { port, scene } = stage
    for (const host of ['shop.example', 'new.example', 'nobody.example']) await ask({ port, host, path: '/' })
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

  it('X15 a drained site says so to load balancers, also when its ingress was made anew', async () => {
    const { port, scene, daemon } = stage
    const { tallyman, dockerSocket } = scene
    const health = async () => {
      const asked = { port: port + 2, host: 'health', path: '/healthz/shop.example' }
      return (await ask(asked).catch(() => undefined))?.status
    }
    expect(await health()).to.equal(200)
    expectCode(await tallyman.run('drain', 'local'), 0)
    expect(await health()).to.equal(503)
    expect((await tallyman.run('status')).stdout).to.include('  drained local: ')
    expect((await ask({ port, host: 'shop.example', path: '/' })).status).to.equal(200)

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

  it('X15 a site that is not there cannot be drained', async () => {
    const ran = await stage.scene.tallyman.run('drain', 'elsewhere')
    expectCode(ran, 64)
    expect(ran.stderr).to.include('there is no site elsewhere').and.include('There are: local.')
  })
})
