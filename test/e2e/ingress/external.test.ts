import { expect } from 'chai'
import { createIngressScene, type IngressScene, type WebApplication } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { ask, keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const host = 'shop.example'
const shop = (version: string, more: Partial<WebApplication> = {}): WebApplication => ({
  name: 'shop',
  version,
  routes: [{ host }],
  ...more,
})

describe('a Caddy that the operator runs', () => {
  it('P12 P33 is waited for, given routes, loses no request of an update, and has its routes again when it was started again or made anew', async () => {
    await using scene = await createIngressScene({ external: true }, { commands: 'here' })
    const { tallyman, http: port } = scene
    const apply = async () => expectCode(await tallyman.run('apply'), 0)
    const answers = (body: string) => async () =>
      (await ask({ port, host, path: '/' }).catch(() => undefined))?.body === body || undefined
    await scene.release(shop('1'))
    const alone = await tallyman.run('apply')
    expectCode(alone, 1)
    expect(alone.stdout).to.include(
      `tallyman-ingress  no container with the label tallyman.ingress=${scene.environment} runs`,
    )
    {
      await using front = await runFront(scene)
      const planned = await tallyman.run('plan')
      expect(planned.stdout).to.include('~ tallyman-ingress.1  1 route to load\n')
      await apply()
      expect((await ask({ port, host, path: '/' })).body).to.equal('1')
      expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

      await using asking = keepAsking({ port, host, path: '/?ms=50' })
      await scene.release(shop('2'))
      await apply()
      await waitUntil('2 answers', () => asking.so().bodies.has('2'))
      const { failed, bodies } = await asking.end()
      expect([failed, [...bodies]]).to.deep.equal([[], ['1', '2']])

      await scene.release(shop('2', { routes: [] }))
      await apply()
      expect((await ask({ port, host, path: '/' })).status).to.equal(404)
      const { networks, name, isRunning } = await front.look()
      expect({ networks, name, isRunning }).to.deep.equal({
        networks: [`${scene.environment}-front`],
        name: `/${scene.environment}-front`,
        isRunning: true,
      })

      const commit = await scene.release(shop('2'))
      const daemon = await tallyman.daemon()
      await daemon.until(
        'a look has found it in sync',
        seen => seen.revision?.commit === commit && seen.outcome === 'in-sync' && seen.running === undefined,
      )
      expect((await tallyman.run('status')).stdout)
        .to.match(/^ {2}tallyman-ingress +local +Synced +Healthy +\S+ +1\/1/m)
        .and.match(/^ {2}http:\/\/shop\.example\/ +shop\/web +local +2 of 2$/m)
      expect((await tallyman.run('metrics')).stdout).to.match(/^tallyman_ingress_up\{.*\} 1$/m)
      await front.restart()
      await waitUntil('it has kept them', answers('2'))
    }
    await using _front = await runFront(scene, ['caddy', 'run'])
    await waitUntil('it is given them', answers('2'))
  })
})

/** As its operator makes it, with nothing of ours but the label. */
async function runFront(scene: IngressScene, command = ['caddy', 'run', '--resume']) {
  const { dockerSocket, environment, prefix } = scene
  const call = async (method: string, path: string, body?: object) => {
    const answer = await engineCall(dockerSocket, method, path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`)
    return answer.body.length === 0 ? undefined : answer.body.toString()
  }
  const image = `${prefix}/caddy:2`
  const name = `${environment}-front`
  await call('POST', `/images/create?fromImage=${encodeURIComponent(image)}`)
  await call('POST', '/networks/create', { Name: name })
  await call('POST', `/containers/create?name=${name}`, {
    Image: image,
    Entrypoint: command,
    Labels: { 'tallyman.ingress': environment },
    ExposedPorts: { '80/tcp': {} },
    HostConfig: {
      NetworkMode: name,
      PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: String(scene.http) }] },
    },
  })
  await call('POST', `/containers/${name}/start`)
  return {
    restart: () => call('POST', `/containers/${name}/restart?t=5`),
    async look() {
      const { Name, State, NetworkSettings }: Inspected = JSON.parse(
        (await call('GET', `/containers/${name}/json`)) ?? '{}',
      )
      return { name: Name, isRunning: State.Running, networks: Object.keys(NetworkSettings.Networks) }
    },
    async [Symbol.asyncDispose]() {
      await call('DELETE', `/containers/${name}?force=1&v=1`)
      await call('DELETE', `/networks/${name}`)
    },
  }
}

type Inspected = {
  readonly Name: string
  readonly State: { readonly Running: boolean }
  readonly NetworkSettings: { readonly Networks: object }
}
