import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory-daemon.ts'
import { memoryEngine } from '../../support/memory-engine.ts'

describe('many sites', () => {
  it('G24 are not looked for again among all sites each time somebody asks for those of the environment', async () => {
    const { daemon, world } = await twoSites()
    await using _ = daemon
    await daemon.pass()
    expect(world.engines.map(({ site }) => site)).to.deep.equal(['store-0'])
    expect(world.engines).to.equal(world.engines)
  })

  it('G17 are looked at one after the other: the event loop turns between any two of them', async () => {
    const engines = Array.from({ length: 20 }, (_, index) =>
      memoryEngine({ site: `store-${index}`, distribution: everyImage }),
    )
    const sites = engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` }))
    const files = manifestOf('prod', { web: '1' })
    await using daemon = await memoryDaemon({ environments: ['prod'], files, engines, config: { sites } })
    await daemon.pass()
    await daemon.pass()
    let turns = 0
    let isOver = false
    const looked = daemon.pass().then(() => {
      isOver = true
    })
    while (!isOver) {
      await turn()
      turns += 1
    }
    await looked
    expect(turns).to.be.at.least(engines.length)
  })
})

/** A daemon whose environment is on one of its two sites. */
async function twoSites() {
  const engines = ['store-0', 'store-1'].map(site => memoryEngine({ site, distribution: everyImage }))
  const sites = [
    { name: 'store-0', endpoint: 'unix:///run/store-0.sock', environments: ['prod'] },
    { name: 'store-1', endpoint: 'unix:///run/store-1.sock', environments: ['test'] },
  ]
  const files = manifestOf('prod', { web: '1' })
  const daemon = await memoryDaemon({ environments: ['prod'], files, engines, config: { sites } })
  const [running] = daemon.control.running
  if (running === undefined) throw new Error('no environment')
  return { daemon, world: running.world }
}
