import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { engineCall, engineGet } from '../../../support/engine/engine-call.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import type { Swarm } from '../../../support/simulated/swarm/swarm.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

type Both = Scene & { readonly swarm: Swarm }

/** One engine is the host `machine` and the Swarm `cluster`. Nothing but `shop`, which has a route, is in the manifest. */
async function bothScene(): Promise<Both> {
  const scene = await createScene({
    config: prefix => ({
      ...{ healthyTime: '0s', ingress: { image: `${prefix}/caddy:2`, http: { port: 8180 } } },
    }),
    site: { name: 'machine', kind: 'host' },
    sameEngine: { name: 'cluster', kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' },
  })
  scene.push('caddy', '2', caddy)
  scene.push('app', '1')
  const ingress = [{ port: 8000, host: 'shop.example', tls: 'off' }]
  const containers = [{ name: 'app', image: `${scene.prefix}/app:1` }]
  const shop = { name: 'shop', services: [{ name: 'web', ingress, containers }] }
  await scene.commit({ skipConfirmation: true }, 'Begin', { 'applications/shop.yaml': stringify(shop) })
  return Object.assign(scene, { swarm: scene.engine.beginSwarm() })
}

/** Commits on which sites `shop` is to be. */
function place(scene: Both, sites: string): Promise<unknown> {
  const file = { name: 'shop', application: 'shop', placement: { 'match-site-labels': sites } }
  return scene.repository.commit({ 'deployments/shop.yaml': stringify(file) })
}

async function apply({ tallyman }: Both, ...options: readonly string[]) {
  return documentOf(await tallyman.run('apply', '--output', 'json', ...options))
}

/** What there is of the environment on either site. The simulated Swarm has no containers. */
function has({ engine, swarm }: Both): readonly string[] {
  const services = swarm.list({}).map(({ Spec }) => `${Spec.Labels?.['tallyman.application']} on cluster`)
  const containers = engine
    .containers()
    .map(({ config }) => `${config.Labels['tallyman.application']} on machine`)
  return [...services, ...containers].sort()
}

/** The networks of the environment that a site has left. Those of a Swarm are overlays. */
async function networksOf(
  { dockerSocket, environment }: Both,
  site: 'machine' | 'cluster',
): Promise<readonly string[]> {
  const all: readonly { readonly Name: string; readonly Driver: string }[] = JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, '/networks')),
  )
  const isOnSite = site === 'cluster' ? 'overlay' : 'bridge'
  return all
    .filter(({ Name, Driver }) => Name.startsWith(environment) && Driver === isOnSite)
    .map(({ Name }) => Name)
}

describe('what is of Tallyman itself, where the last application leaves a site', () => {
  const it = sideBySide()

  for (const [from, to] of [
    ['machine', 'cluster'],
    ['cluster', 'machine'],
  ] as const)
    it(`A26 G4 P12 goes with it from ${from}, with one approval, and the next pass makes that of ${to}`, async () => {
      await using scene = await bothScene()
      await place(scene, `system/name = ${from}`)
      expect((await apply(scene)).outcome).to.equal('applied')
      await place(scene, `system/name = ${to}`)
      expect((await apply(scene)).needsConfirmation).to.equal(true)
      expect(has(scene)).to.include.members([`shop on ${from}`, `tallyman-ingress on ${from}`])
      await apply(scene, '--yes')
      expect(has(scene).filter(text => text.endsWith(from))).to.deep.equal([])
      await apply(scene)
      expect(has(scene)).to.deep.equal([`shop on ${to}`, `tallyman-ingress on ${to}`])
      expect(await networksOf(scene, from)).to.deep.equal([])
      expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    })

  it('A26 G4 goes from the only site where the application is to run nowhere, and by itself if it was left behind', async () => {
    await using scene = await bothScene()
    await place(scene, 'system/name = machine')
    await apply(scene)
    await place(scene, 'not system/name')
    expect((await apply(scene)).needsConfirmation).to.equal(true)
    for (const { id, config } of scene.engine.containers())
      if (config.Labels['tallyman.application'] === 'shop')
        await engineCall(scene.dockerSocket, 'DELETE', `/containers/${id}?force=true`)
    const alone = await apply(scene)
    expect([alone.needsConfirmation, alone.outcome]).to.deep.equal([false, 'applied'])
    expect([has(scene), await networksOf(scene, 'machine')]).to.deep.equal([[], []])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G4 stays with its application where the labels of a deployment suddenly match no site', async () => {
    await using scene = await bothScene()
    await place(scene, 'system/name = machine')
    await apply(scene)
    await place(scene, 'system/name = machin')
    const { error } = await apply(scene, '--yes')
    expect(error?.code).to.equal('deployment-refused')
    expect(has(scene)).to.deep.equal(['shop on machine', 'tallyman-ingress on machine'])
  })

  it('G4 stays with its application where the manifest asks for nothing at all', async () => {
    await using scene = await bothScene()
    await place(scene, 'system/name = machine')
    await apply(scene)
    await scene.repository.commit({ 'deployments/shop.yaml': null })
    const { error } = await apply(scene, '--yes')
    expect(error?.code).to.equal('empty-desired-state')
    expect(has(scene)).to.deep.equal(['shop on machine', 'tallyman-ingress on machine'])
  })
})
