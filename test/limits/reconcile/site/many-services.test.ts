import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { desired } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'
import { growth } from '../../../support/measure/growth.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

/** A pass does little for each service, so one more look at all of them for each one shows at less than halfway. */
const most = 20

describe('a site with many services', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tallyman-many-'))
  })
  after(() => rm(directory, { recursive: true }))

  /** What a daemon does for so many services until they wait for somebody, or run, and the status is told. */
  async function told(count: number, more: object) {
    // In a file, as a daemon has it: what is long is not in SQLite's memory there.
    const file = join(await mkdtemp(join(directory, 'j-')), 'tallyman.sqlite')
    const journal = openJournal(file)
    const services = Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, '1']))
    const engine = memoryEngine({ distribution: everyImage })
    {
      await using daemon = await memoryDaemon({
        ...{ files: manifestOf('prod', services, more), engine, journal },
      })
      await daemon.pass()
      const [status] = await daemon.ask('GET /api/v1/environments')
      expect(status.applications).to.have.lengthOf(count)
      expect(status.outcome).to.equal('skipConfirmation' in more ? 'in-sync' : 'needs-confirmation')
    }
    journal.close()
  }

  it('G24 G17 is asked about, and tells how it stands, in as long for each of them', async () => {
    expect(await growth(count => told(count, {}), 60, most)).to.be.below(most)
  })

  it('G24 G17 gets them, and tells how it stands, in as long for each of them', async () => {
    expect(await growth(count => told(count, { skipConfirmation: true }), 60, most)).to.be.below(most)
  })

  it('G24 G18 has its plan put on record in as long for each of them', async () => {
    const planOfMany = (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `s${at}`)
      return planOf({
        desired: desired(...names.map(name => ({ name }))),
        live: { site: 'local', containers: [] },
      })
    }
    const plans = new Map([planOfMany(300), planOfMany(3_000)].map(plan => [plan.changes.length, plan]))
    const file = join(directory, 'plans.sqlite')
    const put = (count: number) => {
      const journal = openJournal(file)
      const pass = journal.beginPass({ environment: 'prod', site: 'local', trigger: 'poll', atMs: 1 })
      const plan = plans.get(count)
      if (plan === undefined) throw new Error('there is one')
      journal.setPlan(pass, plan)
      journal.close()
      rmSync(file)
    }
    expect(await growth(put, 300, most)).to.be.below(most)
  })

  it('G24 notes of versions that cannot be had in as long for each of them', async () => {
    const note = (count: number) => {
      const journal = openJournal(':memory:')
      for (let at = 0; at < count; at += 1)
        journal.wantAbsent({ environment: 'prod', application: `s${at}`, version: '1', atMs: at })
      journal.close()
    }
    expect(await growth(note, 200, most)).to.be.below(most)
  })
})
