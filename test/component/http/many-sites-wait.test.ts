import { expect } from 'chai'
import { refused } from '../../support/failures/refused.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

describe('an answer that waits for the passes over many sites', () => {
  it('G17 reads what is kept of all sites at the end of no pass', async () => {
    await using scene = await stores()
    expect(await refused(scene.daemon.ask('POST /api/v1/plans/ffff/approve'))).to.match(/^plan-changed/)
    expect(scene.reads()).to.equal(0)
  })

  it('G17 has their results put together once, until another pass ends', async () => {
    await using scene = await stores()
    const [before] = scene.daemon.results()
    expect(scene.daemon.results()[0]).to.equal(before)
    await scene.daemon.pass()
    expect(scene.daemon.results()[0]).to.not.equal(before)
  })
})

/** Twenty stores that wait for `web`. */
async function stores() {
  const engines = Array.from({ length: 20 }, (_, index) =>
    memoryEngine({ site: `store-${index}`, distribution: everyImage }),
  )
  const journal = memoryJournal()
  let reads = 0
  const daemon = await memoryDaemon({
    files: manifestOf('prod', { web: '1' }),
    engines,
    journal: {
      ...journal,
      keptStates(environment) {
        reads += 1
        return journal.keptStates(environment)
      },
    },
    config: { sites: engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })) },
  })
  await daemon.pass()
  return {
    daemon,
    /** How often the states of all sites were read. */
    reads: () => reads,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
