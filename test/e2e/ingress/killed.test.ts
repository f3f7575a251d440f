import { expect } from 'chai'
import {
  createIngressScene,
  type Ingress,
  type IngressScene,
  type WebApplication,
} from '../../scenes/ingress-scene.ts'
import type { Daemon } from '../../support/command/tallyman.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { type Asking, ask, keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const host = 'shop.example'
const shop = (version: string, more: Partial<WebApplication> = {}): WebApplication => ({
  name: 'shop',
  version,
  routes: [{ host }],
  ...more,
})

describe('requests of users, when the daemon is killed', () => {
  it('P12 none is lost when the daemon is in the middle of a rollout, and the next one ends it', async () => {
    await using scene = await createIngressScene()
    const killed = await served(scene, shop('1'))
    await using asking = keepAsking({ port: scene.http, host, path: '/?ms=100' })
    await scene.release(shop('2'))
    await waitUntil('2 answers', () => asking.so().bodies.has('2'))
    killed.signal('SIGKILL')
    await killed.ended

    const next = await scene.tallyman.daemon()
    await next.until('it is in sync', isInSync)
    await waitUntil('only 2 answers', onlyAnswers(scene, '2'))
    const { failed, answered } = await asking.end()
    expect(failed).to.deep.equal([])
    expect(answered).to.be.greaterThan(100)
  })
})

describe('requests of users, when what serves them is killed', () => {
  let scene: IngressScene

  before(async () => {
    scene = await createIngressScene()
    const daemon = await served(scene, shop('1', { env: { READY_AFTER_MS: '2000' } }))
    expect((await daemon.stop()).code).to.equal(0)
  })

  after(() => scene[Symbol.asyncDispose]())

  it('P12 those fail that Caddy cannot take before it is back, which it is by itself, with its routes', async () => {
    await using asking = keepAsking({ port: scene.http, host, path: '/?ms=100' })
    await waitUntil('it answers', () => asking.so().answered > 50)

    const ingress = await scene.ingress()
    await killProcess(scene, ingress)
    await waitUntil('it is back', async () => {
      const now = await scene.ingress().catch(() => undefined)
      return now?.id === ingress.id && now.startedAt !== ingress.startedAt
    })
    await waitUntil('it answers', () => ask({ port: scene.http, host, path: '/' }).catch(() => undefined))
    const { failed } = await settled(asking)
    const { answered } = asking.so()
    await waitUntil('it goes on', () => asking.so().answered > answered + 200)
    expect((await asking.end()).failed).to.have.length(failed.length)
    // Nobody listened, or the connection broke: nobody got another's answer, or an error of the ingress.
    expect(failed.filter(words => !/socket hang up|ECONNREFUSED|ECONNRESET|EPIPE/.test(words))).to.deep.equal(
      [],
    )
  })

  it('P12 none is lost when an instance is, which gets none until it is ready again', async () => {
    const daemon = await scene.tallyman.daemon()
    await using asking = keepAsking({ port: scene.http, host, path: '/?ms=100' })
    await waitUntil('it answers', () => asking.so().answered > 50)

    const victim = (await scene.containers()).find(({ service }) => service === 'web')
    await engineCall(scene.dockerSocket, 'POST', `/containers/${victim?.id}/kill`)
    const isUp = async () =>
      (await scene.containers()).find(({ id }) => id === victim?.id)?.state === 'running'
    await waitUntil('it runs again', isUp)
    await daemon.until('it is in sync', isInSync)
    const { answered } = asking.so()
    await waitUntil('it goes on', () => asking.so().answered > answered + 100)
    // It was asked by GET, which the ingress asks another instance: those under way are not lost either.
    expect((await asking.end()).failed).to.deep.equal([])
    expect((await daemon.stop()).code).to.equal(0)
  })
})

/** Releases, and returns when all of it answers. */
async function served(scene: IngressScene, application: WebApplication): Promise<Daemon> {
  await scene.release(application)
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is in sync', isInSync)
  await waitUntil('it answers', onlyAnswers(scene, application.version))
  return daemon
}

const isInSync: Parameters<Daemon['until']>[1] = seen => seen.sync === 'Synced' && seen.running === undefined

function onlyAnswers({ http }: IngressScene, version: string): () => Promise<boolean> {
  const asked = { port: http, host, path: '/' }
  return async () => {
    const all = await Promise.all([ask(asked), ask(asked), ask(asked), ask(asked)])
    return all.every(({ status, body }) => status === 200 && body === version)
  }
}

/** Once each of the clients has had an answer again. */
async function settled(asking: Asking): Promise<ReturnType<Asking['so']>> {
  const { answered } = asking.so()
  await waitUntil('every client has been answered', () => asking.so().answered > answered + 32)
  return asking.so()
}

/** As the kernel does when it is out of memory: not by the engine, which would take it for somebody's will. */
async function killProcess(
  { dockerSocket, environment }: IngressScene,
  { pid, image }: Ingress,
): Promise<void> {
  const name = `${environment}-killer`
  await engineCall(dockerSocket, 'POST', `/containers/create?name=${name}`, {
    Image: image,
    Entrypoint: ['kill'],
    Cmd: ['-9', String(pid)],
    HostConfig: { PidMode: 'host', NetworkMode: 'host', AutoRemove: true },
  })
  const { status, body } = await engineCall(dockerSocket, 'POST', `/containers/${name}/start`)
  expect(status, body.toString()).to.equal(204)
}
