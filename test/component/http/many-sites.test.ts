import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import type { ControlOptions } from '../../../lib/http/controlled.ts'
import { siteDocuments } from '../../../lib/http/sites.ts'
import { identity } from '../../support/builders/builders.ts'
import { manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

describe('what is told of many sites', () => {
  it('G17 puts nothing together of all loops for a site that is not reached, and reads once since when that is so', async () => {
    const few = await whileNoneIsReached(10)
    const many = await whileNoneIsReached(100)
    expect(few).to.deep.equal({ joins: 0, commonStates: 1, unreachable: 10 })
    expect(many).to.deep.equal({ joins: 0, commonStates: 1, unreachable: 100 })
  })
})

/** Asks a daemon that reaches none of so many sites for them, and counts what it looks at for that. */
async function whileNoneIsReached(size: number) {
  const engines = Array.from({ length: size }, (_, index) => {
    const site = `store-${index}`
    const gone = () => Promise.reject(new Failure('engine-unreachable', `${site}: gone`))
    return { ...memoryEngine({ site }), distribution: gone, info: gone, observe: gone }
  })
  const journal = memoryJournal()
  journal.setEnvironment(identity('prod'))
  const counted = { joins: 0, commonStates: 0 }
  await using daemon = await memoryDaemon({
    environments: ['prod'],
    files: manifestOf('prod', { web: '1' }),
    engines,
    journal: {
      ...journal,
      keptState(environment, site) {
        if (site === '') counted.commonStates += 1
        return journal.keptState(environment, site)
      },
    },
    config: { sites: engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })) },
  })
  await daemon.pass()
  const control: ControlOptions = {
    ...daemon.control,
    running: daemon.control.running.map(({ loop, ...controlled }) => ({
      ...controlled,
      loop: {
        ...loop,
        state() {
          counted.joins += 1
          return loop.state()
        },
      },
    })),
  }
  Object.assign(counted, { joins: 0, commonStates: 0 })
  const told = await siteDocuments(control)
  return { ...counted, unreachable: told.filter(({ state }) => state === 'unreachable').length }
}
