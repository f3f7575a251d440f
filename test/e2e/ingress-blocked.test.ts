import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ask, keepAsking } from '../support/requests.ts'
import type { Daemon, StatusDocument, Tallyman } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createIngressScene } from './ingress-scene.ts'

const fixture = (name: string) => new URL(`../../fixtures/ingress/${name}`, import.meta.url).pathname
const host = 'own.example.com'
const routes = [{ host, tls: 'auto', redirect: false }]

describe('an ingress whose certificate cannot be used', function () {
  this.timeout(240_000)

  it('D15 P12 holds no application, answers with what it has loaded, and goes on once the file is right', async () => {
    await using stack = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-certificate-'))
    stack.defer(() => rm(directory, { recursive: true }))
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'cert.key')]
    const put = async (name: string) => {
      await copyFile(fixture(`${name}.pem`), cert)
      await copyFile(fixture(`${name}.key`), key)
    }
    const scene = stack.use(await createIngressScene({ certificates: [{ cert, key }] }))
    const { http, https, tallyman } = scene
    const said = async (asked: Parameters<typeof ask>[0]) => {
      const { status, body } = await ask(asked)
      return `${status} ${body}`
    }
    const overHttps = async (name: string) =>
      said({ port: https, host, path: '/', authority: await readFile(fixture(`${name}.pem`), 'utf8') })

    // There is no key yet: nothing is made of the ingress, and all of the application.
    await copyFile(fixture('own.pem'), cert)
    const first = await scene.release({ name: 'shop', version: '1', routes })
    const daemon = await tallyman.daemon()
    await daemon.until('the shop runs', isHeld(first, `${key} cannot be read (ENOENT)`), 60_000)
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['web', 'web'])
    await put('own')
    await daemon.until('it is in sync', isInSync, 60_000)
    expect(await overHttps('own')).to.equal('200 1')
    const before = await scene.ingress()

    await writeFile(key, 'half of it')
    await daemon.until('it is held', isHeld(first, 'is no private key in PEM'))
    await using asking = keepAsking({ port: http, host, path: '/?ms=50' })
    await waitUntil('1 answers', () => asking.so().bodies.has('1'))
    const second = await scene.release(
      { name: 'shop', version: '2', routes },
      { name: 'news', version: 'news', replicas: 1, routes: [{ host: 'news.example' }] },
    )
    await daemon.until('all else is done', isHeld(second, 'is no private key in PEM'), 60_000)
    await waitUntil('only 2 answers', async () => (await said({ port: http, host, path: '/' })) === '200 2')
    const { failed, bodies } = await asking.end()
    expect([failed, [...bodies]]).to.deep.equal([[], ['1', '2']])
    expect(await overHttps('own')).to.equal('200 2')
    expect((await ask({ port: http, host: 'news.example', path: '/' })).status).to.equal(404)
    await expectTold(tallyman, daemon, key)

    await put('single')
    await daemon.until('it is in sync', isInSync, 60_000)
    expect(await overHttps('single')).to.equal('200 2')
    expect(await said({ port: http, host: 'news.example', path: '/' })).to.equal('200 news')
    expect(await scene.ingress()).to.deep.equal(before)
  })
})

const isInSync = (seen: StatusDocument) => seen.sync === 'Synced' && seen.running === undefined

/** The ingress is held because of this, and everything else is as that commit wants it. */
function isHeld(commit: string, reason: string): (seen: StatusDocument) => boolean {
  return ({ revision, running, applications }) =>
    revision?.commit === commit &&
    running === undefined &&
    applications.length > 0 &&
    applications.every(({ application, sync, reason: why }) =>
      application === 'tallyman-ingress' ? sync === 'Unknown' && why.includes(reason) : sync === 'Synced',
    )
}

/** Status, plan and log say what is held, why, and what to do. */
async function expectTold(tallyman: Tallyman, daemon: Daemon, file: string): Promise<void> {
  const what = `/ingress/certificates/0/key: ${file} is no private key in PEM, or one with a password`
  const hint =
    'Correct the file, or the key in tallyman.yaml that names it; until then the ingress stays as it is.'
  expect(daemon.said().stderr).to.include(what).and.include(hint)
  const [error] = (await daemon.status()).errors
  expect(error).to.include({ code: 'config-invalid', message: what, hint })
  const status = await tallyman.run('status')
  expect(status.stdout).to.include(`  ${what} (config-invalid)\n    hint: ${hint}\n`)
  expect(status.stdout).to.match(
    /^ {2}tallyman-ingress +local +Unknown +Healthy .* \/ingress\/certificates\//m,
  )
  const plan = await tallyman.run('plan')
  expect(plan.stdout).to.include('Blocked, nothing of it is touched:\n  tallyman-ingress  (config-invalid)')
  expect(plan.stderr).to.include(what).and.include(hint)
}
