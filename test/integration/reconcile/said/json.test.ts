import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('--output json', () => {
  const it = sideBySide()

  it('G7 plan prints one document with the keys of the interface, and nothing else', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    const [v1, v2] = await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1', '1')] })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const commit = await scene.commit(
      { services: [service('web', '2', '2')] },
      'Version 2',
      {},
      { author: 'Grace <grace@example.com>' },
    )

    const planned = await tallyman.run('plan', '--output', 'json')
    expectCode(planned, 0)
    const plan = documentOf(planned)
    expect(plan).to.include.keys(
      'id',
      'environment',
      'revision',
      'sync',
      'needsConfirmation',
      'warnings',
      'changes',
    )
    expect(plan).to.include({ environment: scene.environment, sync: 'OutOfSync', needsConfirmation: true })
    expect(plan.revision).to.include({
      ref: 'main',
      commit,
      author: 'Grace <grace@example.com>',
      subject: 'Version 2',
    })
    expect(Date.parse(plan.revision.time)).to.be.greaterThan(0)
    expect(plan.changes).to.have.length(1)
    const [change] = plan.changes
    expect(change).to.include({
      site: 'local',
      application: 'web',
      service: 'web',
      instances: 2,
      action: 'replace',
      cause: 'diverged',
      reason: 'image',
      strategy: 'rolling',
      downtime: false,
    })
    const image = `${scene.prefix}/web`
    expect(change?.fields).to.deep.equal([
      {
        path: 'web/image',
        from: `${image}:1@${v1.digest}`,
        to: `${image}:2@${v2.digest}`,
        touches: 'image',
      },
    ])
    expect(change?.pulls).to.deep.equal([`${image}:2@${v2.digest}`])
    expect(change?.steps[0]).to.equal(`pull-image ${image}:2@${v2.digest}`)
    expect(change?.steps.map(step => step.split(' ')[0])).to.include.members([
      'create-container',
      'start-container',
      'await-healthy',
      'stop-container',
      'remove-container',
    ])
  })

  it('one document also where the repository cannot be read', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(ran, 1)
    expect(documentOf(ran).error).to.include.keys('code', 'message', 'hint')
    expect(documentOf(ran)).to.include({ sync: 'Unknown' })
  })

  it('one document also where the configuration is wrong', async () => {
    await using scene = await createScene({ config: { drift: 'ignore' } })
    const ran = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(ran, 1)
    expect(documentOf(ran).error).to.include({ code: 'config-invalid' })
  })
})
