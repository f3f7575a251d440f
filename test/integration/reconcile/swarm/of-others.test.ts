import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { createSwarmScene, type Scene } from '../scene.ts'

/** Commits `shop` in this version: a service of each name, all alike. */
function release({ commit, prefix }: Scene, tag: string, names: readonly string[]) {
  const services = names.map(name => ({
    ...{ name, replicas: 1 },
    containers: [{ name: 'app', image: `${prefix}/web:${tag}` }],
  }))
  return commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': stringify({ name: 'shop', version: tag, services }),
  })
}

describe('services of a Swarm that somebody else made', () => {
  it('G10 G6 G13 stay as they are, whatever labels of the environment they have, and the plan says which names they have', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman, engine } = scene
    scene.push('web', '1')
    await release(scene, '1', ['api'])
    expectCode(await tallyman.run('apply'), 0)
    const labels = swarm.get(`${scene.environment}_shop_api`).Spec.Labels ?? {}
    const { 'tallyman.environment': environment = '', 'tallyman.source': source = '' } = labels
    const task = { ContainerSpec: { Image: 'theirs' } }
    const few = { 'tallyman.environment': environment, 'tallyman.source': source }
    const theirs = [
      swarm.create({ Name: `${scene.environment}_shop_web`, Labels: few, TaskTemplate: task }),
      swarm.create({ Name: `${scene.environment}_shop_db`, Labels: labels, TaskTemplate: task }),
      swarm.create({ Name: 'copy', Labels: labels, TaskTemplate: task }),
    ]
    const before = structuredClone(theirs)
    engine.forgetCalls()
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    const looks = engine.calls.filter(call => call === 'GET /services').length
    expect(looks, 'names are asked for only if a service is to be made').to.equal(1)
    await release(scene, '1', ['api', 'web', 'db'])
    const { stdout: plan } = await tallyman.run('plan')
    const [db, web] = ['db', 'web'].map(name => `the service ${scene.environment}_shop_${name} is`)
    expect(plan).to.include(
      `${web} one with labels of this environment, which do not say that it is this service`,
    )
    expect(plan).to.include(`${db} one with labels of this environment`)
    const { outcome, error } = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect([outcome, error?.code]).to.deep.equal(['failed', 'name-taken'])
    expect(theirs.map(({ ID }) => swarm.get(ID))).to.deep.equal(before)
    expect((await tallyman.run('log')).stdout).to.match(/ \(name-taken\)/)
    expect((await tallyman.run('show', '2')).stdout, 'no step was made').not.to.include('-service')
    await release(scene, '1', ['api'])
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(swarm.list({}).map(({ Spec }) => Spec.Name)).to.have.lengthOf(4)
  })

  it('G10 G13 are not said to be removed where one takes the name of a service in the middle of its change', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    scene.push('web', '1')
    const name = `${scene.environment}_shop_web`
    swarm.fate = () => {
      swarm.fate = () => ({ State: 'running' })
      swarm.create({ Name: name, TaskTemplate: { ContainerSpec: { Image: 'theirs' } } })
      return { State: 'complete' }
    }
    const pre = { failurePolicy: 'Abort', execNewPod: { containerName: 'app', command: ['check'] } }
    const strategy = { rollingUpdate: { pre } }
    const services = [
      { name: 'web', replicas: 1, strategy, containers: [{ name: 'app', image: `${scene.prefix}/web:1` }] },
    ]
    await scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, 'shop', {
      'applications/shop.yaml': stringify({ name: 'shop', version: '1', services }),
    })
    const { stderr } = await tallyman.run('apply')
    const leftOut = `remove-service ${name}  left out: nothing of this environment's own has this name`
    expect(stderr).to.include(`undo: ${leftOut}`)
    const shown = (await tallyman.run('show', '1')).stdout
    expect(shown).to.include(`undo: ${leftOut}`)
    expect(`${stderr} ${shown}`).not.to.match(new RegExp(`remove-service ${name} +done`))
    expect(swarm.get(name).Spec.TaskTemplate.ContainerSpec.Image).to.equal('theirs')
  })
})
