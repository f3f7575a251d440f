import { copyFile, mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createIngressScene } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { ask } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const fixture = (name: string) => new URL(`../../../fixtures/ingress/${name}`, import.meta.url).pathname

describe('HTTPS through the ingress', () => {
  it('P33 P35 has certificates of its own authority and of the operator, and each host its own application; a certificate is changed while it runs', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-certificate-'))
    const [cert, key] = [join(place.path, 'cert.pem'), join(place.path, 'cert.key')]
    const put = async (name: string) => {
      await copyFile(fixture(`${name}.pem`), cert)
      await copyFile(fixture(`${name}.key`), key)
    }
    await put('own')
    await using scene = await createIngressScene({ certificates: [{ cert, key }] })
    const { http, https, dockerSocket } = scene
    await scene.release(
      {
        name: 'shop',
        version: 'shop',
        routes: [
          { host: 'own.example.com', tls: 'auto' },
          { host: 'plain.example.com', path: '/only' },
        ],
      },
      { name: 'office', version: 'office', routes: [{ host: 'inside.example', tls: 'internal' }] },
    )
    expectCode(await scene.tallyman.run('apply', '--output', 'json'), 0)

    const operator = await readFile(fixture('own.pem'), 'utf8')
    const ours = await waitUntil('the ingress has an authority', async () => {
      const { id } = await scene.ingress()
      const said = await execIn(dockerSocket, id, 'cat /data/caddy/pki/authorities/local/root.crt')
      return said.startsWith('-----BEGIN') && said
    })
    const shop = { port: https, host: 'own.example.com', path: '/', authority: operator }
    const office = { port: https, host: 'inside.example', path: '/', authority: ours }
    const said = async (asked: typeof shop) => {
      const { status, body } = await ask(asked)
      return `${status} ${body}`
    }
    await waitUntil('there is a certificate', () => ask(office).catch(() => undefined))
    expect(await said(shop)).to.equal('200 shop')
    expect(await said(office)).to.equal('200 office')

    const forged = {
      'x-forwarded-for': '198.51.100.7',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
    }
    const seen = JSON.parse((await ask({ ...office, path: '/headers', headers: forged })).body)
    expect(seen).to.include({
      'x-forwarded-host': 'inside.example',
      'x-forwarded-proto': 'https',
    })
    expect(seen['x-forwarded-for']).to.not.include('198.51.100.7')

    const moved = await ask({ port: http, host: 'inside.example', path: '/a?b' })
    expect([moved.status, moved.headers['location']]).to.deep.equal([
      308,
      `https://inside.example:${https}/a?b`,
    ])

    // Over HTTP: no such host, no such path of a host.
    for (const [host, path] of [
      ['other.example', '/'],
      ['plain.example.com', '/'],
    ] as const)
      expect((await ask({ port: http, host, path })).status, host).to.equal(404)
    // Over HTTPS: a name without a certificate, and one that is for HTTP only.
    for (const host of ['other.example', 'plain.example.com']) {
      const refused = await ask({ ...office, host }).catch((error: Error) => error.message)
      expect(refused, host).to.match(/alert/)
    }
    // The name of one, and in Host another one.
    const crossed = await ask({ ...office, headers: { host: 'other.example' } })
    expect(crossed.status).to.equal(404)

    const before = await scene.ingress()
    await put('single')
    expectCode(await scene.tallyman.run('apply', '--output', 'json'), 0)
    expect(await said({ ...shop, authority: await readFile(fixture('single.pem'), 'utf8') })).to.equal(
      '200 shop',
    )
    expect(await scene.ingress(), 'it was not started again').to.deep.equal(before)
  })
})
