import { expect } from 'chai'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { hostPlatform, pushImage, pushIndex } from '../../support/images/images.ts'
import { startRegistry } from '../../support/images/registry.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { testMachine, uniqueName } from '../../support/suite/env.ts'

describe('the test registry', () => {
  it('holds an image that an engine pulls under the digest and id it was pushed with', async () => {
    const { dockerSocket, registry } = await testMachine()
    const image = await pushImage(registry, uniqueName('web'), '1', { env: { COLOUR: 'blue' } })

    const pulled = await engineCall(
      dockerSocket,
      'POST',
      `/images/create?fromImage=${encodeURIComponent(image.reference)}`,
    )

    expect(pulled.body.toString()).to.include(image.digest)
    expect(await engineGet(dockerSocket, `/images/${image.pinned}/json`)).to.include({ Id: image.id })
  })

  it('holds indexes, of which an engine takes the manifest of its own platform', async () => {
    const { dockerSocket, registry } = await testMachine()
    const index = await pushIndex(registry, uniqueName('web'), '1', {
      platforms: [hostPlatform, 'linux/s390x', 'unknown/unknown'],
      format: 'oci',
    })

    const pulled = await engineCall(
      dockerSocket,
      'POST',
      `/images/create?fromImage=${encodeURIComponent(index.reference)}`,
    )

    expect(pulled.body.toString()).to.include(index.indexDigest)
    expect(await engineGet(dockerSocket, `/images/${index.reference}/json`)).to.include({ Id: index.id })
  })

  it('gives another digest to another tag, and the same to the same', async () => {
    const { registry } = await testMachine()
    const name = uniqueName('web')

    const first = await pushImage(registry, name, '1')
    const second = await pushImage(registry, name, '2')
    const again = await pushImage(registry, name, '1')

    expect(second.digest).not.to.equal(first.digest)
    expect(again.digest).to.equal(first.digest)
  })

  it('fails on demand, counts what it is asked and is out of reach while it is off', async () => {
    await using registry = await startRegistry()
    await pushImage(registry, 'web', '1')
    const ask = () => httpCall({ ...endpoint(registry.host), path: '/v2/web/tags/list', agent: false })

    expect((await ask()).status).to.equal(200)
    registry.fail(429, { 'retry-after': '7' })
    expect((await ask()).headers).to.include({ 'retry-after': '7' })
    registry.heal()
    await registry.off()
    expect(await ask().catch((error: Error) => error.message)).to.include('ECONNREFUSED')
    await registry.on()
    expect((await ask()).status).to.equal(200)
    expect(registry.requests.map(one => one.status)).to.deep.equal([200, 429, 200])
    expect(registry.count('GET', /tags\/list$/)).to.equal(3)
  })

  it('lets an engine in by the token flow when name and password are right', async () => {
    const { dockerSocket } = await testMachine()
    await using registry = await startRegistry({
      auth: { scheme: 'bearer', username: 'ada', password: 'x' },
    })
    const image = await pushImage(registry, 'web', '1')
    const resolve = (password: string) => {
      const login = { username: 'ada', password, serveraddress: registry.host }
      return httpCall({
        socketPath: dockerSocket,
        path: `/distribution/${image.reference}/json`,
        headers: { 'x-registry-auth': paddedBase64url(JSON.stringify(login)) },
      })
    }

    expect((await resolve('wrong')).status).to.be.within(400, 500)
    expect((await resolve('x')).body.toString()).to.include(image.digest)
  })
})

function endpoint(host: string): { readonly hostname: string; readonly port: string } {
  const [hostname = '', port = ''] = host.split(':')
  return { hostname, port }
}

/** What engines expect; one without padding they take for no credentials at all. */
function paddedBase64url(text: string): string {
  return Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}
