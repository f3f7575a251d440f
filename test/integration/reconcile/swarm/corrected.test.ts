import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { exitsWith } from '../../../support/simulated/swarm/swarm.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createSwarmScene } from '../scene.ts'

/** A scene whose site is a simulated Swarm, and its only service. */
async function swarmScene() {
  const scene = await createSwarmScene()
  const { swarm } = scene
  for (const tag of ['1', '2', '3']) scene.push('web', tag)
  const release = (tag: string) => {
    const containers = [{ name: 'web', image: `${scene.prefix}/web:${tag}` }]
    const shop = { name: 'shop', version: tag, services: [{ name: 'web', replicas: 1, containers }] }
    return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, tag, {
      'applications/shop.yaml': stringify(shop),
    })
  }
  const onlyOne = () => {
    const [one, ...others] = swarm.list({})
    if (one === undefined || others.length > 0) throw new Error('there is one')
    return one
  }
  return Object.assign(scene, { release, onlyOne })
}

describe('a release on a Swarm that somebody else changes', () => {
  it('D2 D18 is brought back to what is good by a plan after it failed and somebody tried another one by hand', async () => {
    await using scene = await swarmScene()
    const { swarm, tallyman, release, onlyOne } = scene
    swarm.fate = ({ Labels }) => (Labels?.['tallyman.version'] === '3' ? exitsWith(3) : { State: 'running' })
    await release('1')
    expectCode(await tallyman.run('apply'), 0)
    await release('3')
    expectCode(await tallyman.run('apply'), 1)
    const { ID, Version, Spec } = onlyOne()
    const good = Spec.TaskTemplate.ContainerSpec
    const byHand = { ...good, Image: `${scene.prefix}/web:2` }
    swarm.update(ID, Version.Index, {
      ...Spec,
      TaskTemplate: { ...Spec.TaskTemplate, ContainerSpec: byHand },
    })
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include(`image changed to ${scene.prefix}/web:2`)
    const repaired = await tallyman.run('apply')
    expectCode(repaired, 1)
    expect(repaired.stdout + repaired.stderr, 'that one is not tried again').to.include('(quarantined)')
    expect(onlyOne().Spec.TaskTemplate.ContainerSpec).to.deep.equal(good)
    await release('2')
    expectCode(await tallyman.run('apply'), 0)
    const running = swarm.tasks({ 'desired-state': ['running'] })
    expect(running.map(task => task.Spec)).to.deep.equal([onlyOne().Spec.TaskTemplate])
    expect(onlyOne().Spec.Labels?.['tallyman.version']).to.equal('2')
  })

  it('D18 G5 goes on where somebody removed its service in the middle of its update', async () => {
    await using scene = await swarmScene()
    const { swarm, tallyman, release, onlyOne } = scene
    await release('1')
    expectCode(await tallyman.run('apply'), 0)
    await release('2')
    swarm.fate = () => ({ State: 'starting' })
    const applying = tallyman.run('apply', '--output', 'json')
    await waitUntil('it is being updated', () => onlyOne().Spec.Labels?.['tallyman.version'] === '2')
    swarm.remove(onlyOne().ID)
    swarm.fate = () => ({ State: 'running' })
    const overtaken = await applying
    expectCode(overtaken, 1)
    expect(documentOf(overtaken)).to.include({ outcome: 'failed' })
    expect(documentOf(overtaken).error).to.include({ code: 'service-changed' })
    const made = await tallyman.run('apply', '--output', 'json')
    expectCode(made, 0)
    expect(documentOf(made)).to.include({ outcome: 'applied' })
    expect(onlyOne().Spec.Labels?.['tallyman.version']).to.equal('2')
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
