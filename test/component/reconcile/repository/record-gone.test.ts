import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { journalIn } from '../../../../lib/journal/journal.ts'
import { recordGone } from '../../../../lib/reconcile/repository/record-gone.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { memoryDatabase } from '../../../support/memory/memory-journal.ts'

/** The site `east` is called `west` now, and the journal has no room until there is some. */
function scene() {
  const database = memoryDatabase()
  let isFull = false
  const whileRoom = () => {
    if (isFull) throw new Failure('disk-full', 'the disk is full')
  }
  const journal = journalIn({
    ...database,
    transaction: work => {
      whileRoom()
      return database.transaction(work)
    },
    run: (sql, ...values) => {
      whileRoom()
      return database.run(sql, ...values)
    },
  })
  const endpoint = 'unix:///run/east.sock'
  journal.setServed('prod', 'E1', { site: 'east', endpoint })
  const { worlds } = memoryWorlds({
    ...{ environments: ['prod'], files: manifestOf('prod', { web: '1' }), journal },
    engines: [memoryEngine({ site: 'west' })],
    config: { sites: [{ name: 'west', endpoint }] },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  return {
    journal,
    setFull(now: boolean) {
      isFull = now
    },
    look: async () => recordGone(world, 'prod', () => false),
  }
}

const failed = (service: string) => ({
  ...{
    environment: 'prod',
    site: 'east',
    application: 'web',
    service,
    target: '2',
    release: 'r2',
    commit: 'c2',
  },
  ...{ reason: { code: 'exited-early', message: 'it ended' }, atMs: 0 },
})

describe('what is on record of a site that has another name now', () => {
  it('G5 G25 A25 is handed on once, as soon as there is room, with what was to be recorded until then', async () => {
    const { journal, setFull, look } = scene()
    journal.quarantine(failed('web'))
    setFull(true)
    journal.insist(() => journal.quarantine(failed('api')))
    for (const refused of [await failureOf(look()), await failureOf(look())])
      expect(refused.code).to.equal('disk-full')
    setFull(false)
    await look()
    await look()
    expect(journal.quarantined('prod').map(({ site, service }) => `${site}/${service}`)).to.deep.equal([
      'west/api',
      'west/web',
    ])
    expect(journal.servedEngines('prod').map(({ site, engine }) => [site, engine])).to.deep.equal([
      ['west', 'E1'],
    ])
  })
})
