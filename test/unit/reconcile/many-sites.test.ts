import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory-daemon.ts'
import { memoryEngine } from '../../support/memory-engine.ts'

describe('many sites', () => {
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
