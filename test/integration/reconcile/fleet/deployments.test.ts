import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

describe('an application that only a deployment names', () => {
  const it = sideBySide()

  it('A20 is deployed, and a plan after that has nothing to do', async () => {
    await using scene = await createScene()
    await deploy(scene)
    expect(await services(scene)).to.deep.equal(['other running', 'web running'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D15 stays as it is while its deployment is broken, and nothing says that it would be removed', async () => {
    await using scene = await createScene({ config: { prune: 'auto' } })
    await deploy(scene)
    await scene.repository.commit({ 'deployments/shop.yaml': deployment('{match-site-labels: a == b}') })
    const applied = await scene.tallyman.run('apply', '--yes')
    expectCode(applied, 1)
    expect(applied.stderr).to.include('deployments/shop.yaml:3:35: /placement/match-site-labels')
    expect(await services(scene)).to.deep.equal(['other running', 'web running'])
    expect(documentOf(await scene.tallyman.run('plan', '--output', 'json')).changes).to.deep.equal([])
  })

  it('A21 G13 is warned of in validate and in the plan if no site has a label that its deployment names', async () => {
    await using scene = await createScene({ site: { labels: { region: 'north' } } })
    await deploy(scene)
    const placement = '{match-site-labels: regoin = north or region}'
    await scene.repository.commit({ 'deployments/shop.yaml': deployment(placement) })
    const warning =
      'deployments/shop.yaml:3:32: no site of the environment has the label "regoin"; did you mean "region"? (label-unknown)'
    const validated = await scene.tallyman.run('validate')
    expectCode(validated, 0)
    expect(validated.stderr).to.include(`warning: ${warning}`)
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 0)
    expect(planned.stdout).to.include(warning)
  })

  it('D3 is removed once its deployment is, and that asks', async () => {
    await using scene = await createScene()
    await deploy(scene)
    await scene.repository.commit({ 'deployments/shop.yaml': null })
    const planned = documentOf(await scene.tallyman.run('plan', '--output', 'json'))
    expect(planned.changes.map(({ application, action }) => `${application} ${action}`)).to.deep.equal([
      'shop remove',
      `${scene.environment}.shop remove`,
    ])
    expect(planned.needsConfirmation).to.equal(true)
    expect(await services(scene)).to.deep.equal(['other running', 'web running'])
  })
})

/** Beside another application, so that something is wanted after this one is gone. */
async function deploy(scene: Scene): Promise<void> {
  scene.push('web', '1')
  scene.push('other', '1')
  const manifest = { skipConfirmation: true, services: [{ name: 'other', containers: [{ dockerTag: '1' }] }] }
  await scene.repository.commit({
    [`environments/${scene.environment}/manifest.json`]: JSON.stringify(manifest),
    'applications/shop.yaml': `name: shop\nservices: [{name: web, containers: [{name: web, image: "${scene.prefix}/web:1"}]}]\n`,
    'deployments/shop.yaml': deployment('{all-sites: true}'),
  })
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
}

function deployment(placement: string): string {
  return `name: shop\napplication: shop\nplacement: ${placement}\n`
}

async function services(scene: Scene): Promise<readonly string[]> {
  return (await scene.containers()).map(({ service, state }) => `${service} ${state}`)
}
