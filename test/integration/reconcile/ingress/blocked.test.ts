import { copyFile, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ingressName } from '../../../../lib/state/application/ingress/route.ts'
import { label } from '../../../../lib/state/labels.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import type { DaemonHere, TallymanHere } from '../../../support/command/tallyman-here.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import { createScene, type Scene } from '../scene.ts'
import { type Routed, release, served } from './routed.ts'

const fixture = (name: string) => new URL(`../../../../fixtures/ingress/${name}`, import.meta.url).pathname
const shop = (version: string): Routed => ({
  name: 'shop',
  replicas: 2,
  env: { VERSION: version },
  routes: [{ host: 'own.example.com', tls: 'auto', redirect: false }],
})

describe('an ingress whose certificate cannot be used', () => {
  it('D15 P12 holds no application, stays as it is with what it has loaded, and goes on once the file is right', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-certificate-'))
    const [cert, key] = [join(place.path, 'cert.pem'), join(place.path, 'cert.key')]
    const put = async (name: string) => {
      await copyFile(fixture(`${name}.pem`), cert)
      await copyFile(fixture(`${name}.key`), key)
    }
    const config = (prefix: string) => ({
      ingress: { image: `${prefix}/caddy:2`, certificates: [{ cert, key }] },
    })
    await using scene = await createScene({ config })
    scene.push('caddy', '2', caddy)
    scene.push('app', '1')

    // There is no key yet: nothing is made of the ingress, and all of the application.
    await copyFile(fixture('own.pem'), cert)
    const first = await release(scene, shop('1'))
    const daemon = await scene.tallyman.daemon()
    await daemon.until('the shop runs', isHeld(first, `${key} cannot be read (ENOENT)`))
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['web', 'web'])
    await put('own')
    await daemon.until('it is in sync', isInSync)
    expect(served(scene)).to.deep.equal(['shop 1', 'shop 1'])
    const before = ingress(scene)

    await writeFile(key, 'half of it')
    await daemon.until('it is held', isHeld(first, 'is no private key in PEM'))
    const second = await release(scene, shop('2'), { name: 'news', routes: [{ host: 'news.example' }] })
    await daemon.until('all else is done', isHeld(second, 'is no private key in PEM'))
    expect(served(scene), 'the ingress is not attached to the gate of news').to.deep.equal([
      'shop 2',
      'shop 2',
    ])
    expect(ingress(scene), 'its name tells what it has loaded').to.deep.equal(before)
    await expectTold(scene.tallyman, daemon, key)
    const status = (await scene.tallyman.run('status')).stdout
    expect(status).to.match(/own\.example\.com\/ +shop\/web +local +2 of 2\n/)
    expect(status).to.match(/news\.example\/ +news\/web +local +0 of 1: waits for the ingress\n/)
    const counted = (await scene.tallyman.run('metrics')).stdout
    expect(counted).to.match(/tallyman_route_instances\{.*own\.example\.com\/"\} 2\n/)
    expect(counted).to.match(/tallyman_route_instances\{.*news\.example\/"\} 0\n/)

    await put('single')
    await daemon.until('it is in sync', isInSync)
    expect((await scene.tallyman.run('status')).stdout).to.match(
      /news\.example\/ +news\/web +local +1 of 1\n/,
    )
    expect(served(scene)).to.deep.equal(['news', 'shop 2', 'shop 2'])
    const { name, ...container } = ingress(scene)
    expect(container).to.deep.equal({ id: before.id, startedAt: before.startedAt })
    expect(name).to.not.equal(before.name)
  })
})

/** The container of the ingress. Its name tells which routes it has loaded. */
function ingress({ engine }: Scene) {
  const found = engine.containers().find(({ config }) => config.Labels[label.service] === ingressName)
  if (found === undefined) throw new Error('there is no ingress')
  return { id: found.id, name: found.name, startedAt: found.state.startedAt }
}

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
async function expectTold(tallyman: TallymanHere, daemon: DaemonHere, file: string): Promise<void> {
  const what = `/ingress/certificates/0/key: ${file} is no private key in PEM, or one with a password`
  const hint =
    'Correct the file, or the key in tallyman.yaml that names it; until then the ingress stays as it is.'
  expect(daemon.said().stderr).to.include(what).and.include(hint)
  const [error] = (await daemon.status()).errors
  expect(error).to.include({ code: 'config-invalid', message: what, hint })
  const status = await tallyman.run('status')
  expect(status.stdout).to.include(`  ${what} (config-invalid)\n    hint: ${hint}\n`)
  expect(status.stdout).to.match(/^ {2}tallyman-ingress +local +Unknown +Healthy .* blocked: config-invalid/m)
  const plan = await tallyman.run('plan')
  expect(plan.stdout).to.include('Blocked, nothing of it is touched:\n  tallyman-ingress  (config-invalid)')
  expect(plan.stderr).to.include(what).and.include(hint)
}
