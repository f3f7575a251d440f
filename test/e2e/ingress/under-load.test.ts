import { expect } from 'chai'
import { stringify } from 'yaml'
import { createIngressScene, type IngressScene } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import type { LiveContainer, Scene } from '../../scenes/scene.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { ask, keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** A Pallet application: deploy writes a static file, serve answers slowly, and dies at once on TERM. */
const program = `#!/bin/sh
case $1 in
  test) [ -n "$SITE_DOMAIN" ] ;;
  deploy) echo "of $TAG" > /static/$TAG.css; echo "deploy $TAG" >> /storage/phases ;;
  serve) exec httpd -f -p 8000 -h /www ;;
esac
`

/** After 200 ms, the version and what the ingress says of the request. */
const page = `#!/bin/sh
sleep 0.2
printf 'Content-Type: text/plain\\r\\n\\r\\n'
echo "$TAG"
`

const headers = `#!/bin/sh
printf 'Content-Type: text/plain\\r\\n\\r\\n'
env | grep ^HTTP_ | sort
`

const host = 'shop.example'

async function prepared(): Promise<IngressScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await createIngressScene())
  await scene.push('sandbox', '1')
  for (const TAG of ['1', '2'])
    await scene.push('shop', TAG, {
      files: {
        '/run-phase': program,
        '/www/cgi-bin/slow': page,
        '/www/cgi-bin/headers': headers,
        '/www/index.html': 'shop',
      },
      entrypoint: ['/run-phase'],
      cmd: ['serve'],
      env: { TAG },
    })
  stack.move()
  return scene
}

function shop({ prefix }: Scene) {
  const readiness = { http: { path: '/', port: 8000 }, period: '1s' }
  return {
    name: 'shop',
    services: [
      {
        name: 'web',
        replicas: 2,
        pallet: { domain: host, environment: 'test' },
        containers: [{ name: 'app', image: `${prefix}/shop:1`, probes: { readiness } }],
      },
    ],
  }
}

const commit = (scene: Scene, tag: string) =>
  scene.commit(
    {
      services: [{ name: 'shop', containers: [{ dockerName: 'shop', dockerTag: tag }] }],
      skipConfirmation: true,
    },
    `Version ${tag}`,
    { 'applications/shop.yaml': stringify(shop(scene)) },
  )

describe('the ingress', () => {
  it('P12 P30 P31 P32 P33 P35 X15 serves a Pallet application through an update and a rollback under load', async () => {
    await using scene = await prepared()
    const { http: port, https } = scene
    await commit(scene, '1')
    expectCode(await scene.tallyman.run('apply', '--output', 'json'), 0)
    const slow = { port, host, path: '/cgi-bin/slow' }
    await waitUntil('it answers', async () => (await ask(slow)).status === 200)
    expect((await ask(slow)).body).to.equal('1\n')

    await using asking = keepAsking(slow)
    for (const tag of ['2', '1']) {
      await commit(scene, tag)
      expectCode(await scene.tallyman.run('apply', '--output', 'json'), 0)
      await waitUntil(`${tag} answers`, async () => (await ask(slow)).body === `${tag}\n`)
    }
    const { answered, bodies, failed } = await asking.end()
    expect(failed).to.deep.equal([])
    expect(answered).to.be.greaterThan(100)
    expect([...bodies].sort()).to.deep.equal(['1\n', '2\n'])

    for (const tag of ['1', '2']) {
      const file = await ask({ port, host, path: `/static/${tag}.css` })
      expect([file.status, file.body]).to.deep.equal([200, `of ${tag}\n`])
      expect(file.headers['cache-control']).to.equal('public, max-age=31536000, immutable')
    }
    const serving = (await scene.containers()).filter(isServing)
    const phases = serving.map(({ id }) => execIn(scene.dockerSocket, id, 'cat /storage/phases'))
    const deploys = 'deploy 1\ndeploy 2\ndeploy 1\n'
    expect(await Promise.all(phases)).to.deep.equal([deploys, deploys])
    expect(await publishedPorts(scene)).to.deep.equal({ 'tallyman-ingress': [port, https].sort() })

    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const seen = (await ask({ port, host, path: '/cgi-bin/headers', headers: forged })).body
    expect(seen).to.include('HTTP_X_FORWARDED_PROTO=http\n').and.include(`HTTP_X_FORWARDED_HOST=${host}\n`)
    expect(seen).to.include(`HTTP_HOST=${host}\n`).and.not.include('evil.example')
    expect((await ask({ port, host: 'other.example', path: '/' })).status).to.equal(404)
  })
})

function isServing({ service, state, labels }: LiveContainer): boolean {
  return service === 'web' && state === 'running' && labels['tallyman.container'] === 'app'
}

/** The ports of the host that lead to containers of the environment, by service. */
async function publishedPorts({ dockerSocket, environment }: Scene): Promise<Record<string, number[]>> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`tallyman.environment=${environment}`] }))
  const listed: readonly Listed[] = JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, `/containers/json?filters=${filters}`)),
  )
  const published = listed.map(({ Labels, Ports }) => {
    const ports = Ports.flatMap(({ PublicPort = [] }) => PublicPort)
    return [Labels['tallyman.service'] ?? '', [...new Set(ports)].sort()] as const
  })
  return Object.fromEntries(published.filter(([, ports]) => ports.length > 0))
}

type Listed = {
  readonly Labels: Readonly<Record<string, string>>
  readonly Ports: readonly { readonly PublicPort?: number }[]
}
