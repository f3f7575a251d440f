import { expect } from 'chai'
import { service } from '../../../scenes/scene.ts'
import { simulatedScene } from '../../../support/simulated/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene } from '../scene.ts'

const words =
  'the engine manages a Swarm, and is taken for one host: nothing is done on the Swarm (swarm-unused)'

describe('a site whose engine manages a Swarm, without a word of what the site is', () => {
  it('G10 G13 is a host, and the plan and the list of sites say what was seen and how to answer', async () => {
    await using scene = await createScene()
    const { tallyman, engine } = scene
    scene.push('web', '1')
    await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
    const told = async () => {
      const [plan, sites] = [await tallyman.run('plan'), await tallyman.run('sites')]
      return [plan, sites].map(({ stdout }) => stdout.includes(`local: ${words}`))
    }
    expect(await told()).to.deep.equal([false, false])
    engine.beginSwarm()
    expect(await told()).to.deep.equal([true, true])
    const applied = await tallyman.run('apply')
    expect(applied.code).to.equal(0)
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['web'])
    expect((await tallyman.run('plan')).stdout, 'also where nothing differs').to.include(words)
  })

  it('G13 is answered by "kind: host", and not asked about itself any more', async () => {
    await using scene = await createScene()
    const { engine } = scene
    engine.beginSwarm()
    const endpoint = engine.endpoint
    await using said = await createScene({ config: { sites: [{ name: 'local', endpoint, kind: 'host' }] } })
    await said.commit({ skipConfirmation: true, services: [] })
    engine.forgetCalls()
    expect((await said.tallyman.run('plan')).stdout).not.to.include('swarm-unused')
    expect(engine.calls).not.to.include('GET /info')
    expect((await said.tallyman.run('sites')).stdout).not.to.include('swarm-unused')
  })

  it('G13 is a host whose proxy does not tell what it is, too', async () => {
    await using scene = await createScene()
    scene.engine.beginSwarm()
    scene.engine.faults.set(/GET \/info/, { status: 403, message: 'forbidden' })
    await scene.commit({ skipConfirmation: true, services: [] })
    expect(await scene.tallyman.run('plan')).to.deep.include({ code: 0 })
  })

  it('G13 is shown by the status of a daemon, once for all such sites, until it is answered', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    for (const name of ['east', 'west']) scene.site(name).beginSwarm()
    scene.registry.push('web', '1')
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const unused = async () => {
      const sites: readonly { readonly name: string; readonly managesSwarm?: true }[] =
        await scene.ask('GET /api/v1/sites')
      return sites.filter(({ managesSwarm }) => managesSwarm === true).map(({ name }) => name)
    }
    await waitUntil('both are known', async () => (await unused()).length === 2)
    expect(await unused()).to.deep.equal(['east', 'west'])
  })
})
