import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { createIngressScene, type IngressScene, type WebApplication } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { servicesOn, swarmForTests } from '../../support/engine/swarm.ts'
import { ask, keepAsking } from '../../support/network/requests.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const fixture = (name: string) => new URL(`../../../fixtures/ingress/${name}`, import.meta.url).pathname

/** A Pallet application: deploy writes a static file, serve dies at once on TERM. */
const program = `#!/bin/sh
case $1 in
  test) [ -n "$SITE_DOMAIN" ] ;;
  deploy) echo "of $TAG" > /static/$TAG.css ;;
  serve) exec httpd -f -p 8000 -h /www ;;
esac
`

describe('the ingress of a Docker Swarm', () => {
  const it = sideBySide()
  const engine = swarmForTests()

  const sceneOf = (ingress: Readonly<Record<string, unknown>>, more: object, small: boolean) => {
    const endpoint = `unix://${engine.socket}`
    const cluster = { name: 'cluster', endpoint, kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' }
    const policy = { remoteVolumes: ['10.0.0.9'] }
    const sites = [{ ...cluster, ...more }]
    return createIngressScene(ingress, {
      commands: 'here',
      small,
      dockerSocket: engine.socket,
      sites,
      policy,
    })
  }

  const servicesOf = async ({ environment }: IngressScene) =>
    (await servicesOn(engine.socket))
      .map(({ Spec }) => Spec.Name)
      .filter(name => name.startsWith(environment))
      .map(name => name.slice(environment.length + 1))

  it('P12 P33 G7 answers by routes, loses no request as tasks are replaced, keeps its authority, and goes with the last route', async () => {
    const { Swarm }: { readonly Swarm: { readonly NodeID: string } } = JSON.parse(
      JSON.stringify(await engineGet(engine.socket, '/info')),
    )
    await using scene = await sceneOf({}, { ingress: { node: Swarm.NodeID } }, false)
    const { tallyman, environment, http: port } = scene
    const inside = { host: 'inside.example', tls: 'internal' }
    /** What signs its certificates. */
    const authority = async () => {
      const filters = { label: [`com.docker.swarm.service.name=${environment}_tallyman-ingress`] }
      const path = `/containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`
      const [one]: readonly { readonly Id: string }[] = JSON.parse(
        JSON.stringify(await engineGet(engine.socket, path)),
      )
      return execIn(engine.socket, one?.Id ?? '', 'cat /data/caddy/pki/authorities/local/root.crt')
    }
    const asked = { port, host: 'shop.example', path: '/' }
    const shop = (version: string, ...routes: WebApplication['routes']) =>
      scene.release({ name: 'shop', version, routes, env: { ON_TERM: 'drain' }, checkedEvery: '3s' })
    await shop('1', { host: asked.host }, inside)
    expectCode(await tallyman.run('apply'), 0)
    expect(await servicesOf(scene)).to.deep.equal(['shop_web', 'tallyman-ingress'])
    await waitUntil('it answers', async () => (await ask(asked)).body === '1')
    expect((await ask({ ...asked, host: 'other.example' })).status).to.equal(404)
    expect((await tallyman.run('status')).stdout).to.match(
      /http:\/\/shop.example\/ +shop\/web +cluster +2 of 2\n/,
    )
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

    const before = await authority()
    expect(before).to.match(/^-----BEGIN/)

    await using asking = keepAsking(asked, { clients: 8, pauseMs: 20 })
    await shop('2', { host: asked.host }, inside)
    expectCode(await tallyman.run('apply'), 0)
    await waitUntil('the new one answers', async () => (await ask(asked)).body === '2')
    const { answered, bodies, failed } = await asking.end()
    expect(failed).to.deep.equal([])
    expect(answered).to.be.greaterThan(100)
    expect([...bodies].sort()).to.deep.equal(['1', '2'])

    await shop('2', { host: asked.host, path: '/app', strip: true }, inside)
    const changed = await tallyman.run('apply')
    expectCode(changed, 0)
    expect(changed.stdout).to.include('routes/shop.example/app: shop/web:8000, strip, hold 5 s')
    expect(changed.stdout).to.include(
      'stops each task before it starts the one in its place; with a short downtime',
    )
    expect(changed.stdout).to.not.include('shop/web on cluster')
    await waitUntil('it answers', async () => (await ask({ ...asked, path: '/app' })).body === '2')
    expect((await ask(asked)).status).to.equal(404)
    expect(await authority(), 'another task finds it again').to.equal(before)

    await shop('2')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await servicesOf(scene)).to.deep.equal(['shop_web'])
    const networks: readonly { readonly Name: string }[] = JSON.parse(
      JSON.stringify(await engineGet(engine.socket, '/networks')),
    )
    expect(networks.map(({ Name }) => Name).filter(name => name.startsWith(environment))).to.deep.equal([
      `${environment}_shop`,
    ])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('P3 P12 P31 P33 X15 serves a Pallet application over HTTPS with its static files, and refuses a certificate that it would lose', async () => {
    const certificates = [{ cert: fixture('own.pem'), key: fixture('own.key') }]
    await using scene = await sceneOf({ certificates }, {}, true)
    const { tallyman, prefix, https: port } = scene
    // A node leaves a volume as it is that is there already: of one node, it is as good as a share.
    const Name = `${scene.environment}.shop.static`
    expect((await engineCall(engine.socket, 'POST', '/volumes/create', { Name })).status).to.equal(201)
    const files = { '/run-phase': program, '/www/index.html': 'shop' }
    for (const TAG of ['1', '2'])
      await scene.push('shop', TAG, { files, entrypoint: ['/run-phase'], cmd: ['serve'], env: { TAG } })
    const commit = (tag: string, domain: string) => {
      const shared = { driver_opts: { type: 'nfs', device: ':/static', o: 'addr=10.0.0.9' } }
      const test = ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8000/']
      const web = {
        name: 'web',
        replicas: 2,
        pallet: { domain, protocol: 'https', environment: 'test' },
        containers: [{ name: 'app', image: `${prefix}/shop:${tag}`, healthcheck: { test, interval: '3s' } }],
        volumes: [{ name: 'static', 'persistent-volume': shared }],
      }
      const services = [{ name: 'shop' }]
      return scene.commit({ skipConfirmation: true, services }, `Version ${tag}`, {
        'applications/shop.yaml': stringify({ name: 'shop', services: [web] }),
      })
    }
    await commit('1', 'other.example')
    const refused = await tallyman.run('apply')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('shop: web needs a certificate of other.example')
    expect(await servicesOf(scene)).to.deep.equal([])

    await commit('1', 'own.example.com')
    const applied = await tallyman.run('apply')
    expectCode(applied, 0)
    const authority = await readFile(fixture('own.pem'), 'utf8')
    const asked = { port, host: 'own.example.com', path: '/', authority }
    await waitUntil('it answers', async () => (await ask(asked)).body === 'shop')
    await using asking = keepAsking(asked, { clients: 8, pauseMs: 50 })
    await commit('2', 'own.example.com')
    expectCode(await tallyman.run('apply'), 0)
    expect((await asking.end()).failed).to.deep.equal([])
    const file = await ask({ ...asked, path: '/static/2.css' })
    expect([file.status, file.body]).to.deep.equal([200, 'of 2\n'])
    expect(await servicesOf(scene)).to.deep.equal([
      'shop_web',
      'tallyman-ingress',
      'tallyman-ingress_static-shop',
    ])
  })
})
