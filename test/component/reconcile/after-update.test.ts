import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import type { ApplicationStatus } from '../../../lib/reconcile/status/application/application-status.ts'
import { keptTogether } from '../../../lib/reconcile/status/last-state.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { earlierJournal } from '../../support/memory/memory-journal.ts'

/** How many migrations there were when one state was kept for all sites of an environment. */
const perEnvironment = 6

const sites = ['store-1', 'store-2'] as const
const seenMs = Date.parse('2026-11-01T12:00:00Z')

const healthy = (site: string): ApplicationStatus => ({
  site,
  application: 'web',
  sync: 'Synced',
  health: 'Healthy',
  version: '1',
  running: 1,
  commit: '1111111',
  reason: '',
})

/** The journal of an earlier version, which saw the application on both sites, and whose plan waited. */
function updatedJournal(): Journal {
  const state = {
    outcome: 'in-sync',
    sync: 'Synced',
    plan: '12345678',
    errors: [],
    isSeen: true,
    applications: sites.map(healthy),
  }
  return earlierJournal(perEnvironment, old =>
    old.prepare('INSERT INTO last_state VALUES (?, ?, ?)').run('prod', JSON.stringify(state), seenMs),
  )
}

describe('what an earlier version knew of a site', () => {
  it('G13 G17 stays until the site answers, also after looks at which it is silent', async () => {
    await using stack = new AsyncDisposableStack()
    const journal = updatedJournal()
    stack.defer(() => journal.close())
    const known = () =>
      keptTogether(journal, 'prod').state?.applications.map(
        ({ site, health, seenAt = 'now' }) => `${site} ${health} ${seenAt}`,
      )
    expect(known()).to.deep.equal(['store-1 Healthy now', 'store-2 Healthy now'])
    expect(keptTogether(journal, 'prod').state, 'the plan was that of both').to.not.have.property('plan')
    let isSilent = true
    const [silent, good] = sites.map(site => memoryEngine({ site, distribution: everyImage }))
    if (silent === undefined || good === undefined) throw new Error('there are two')
    const daemon = await memoryDaemon({
      environments: ['prod'],
      files: manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
      journal,
      engines: [
        {
          ...silent,
          observe: async (...asked) => {
            if (isSilent) throw new Failure('engine-unreachable', 'store-1: nobody answers')
            return silent.observe(...asked)
          },
        },
        good,
      ],
      config: { sites: sites.map(site => ({ name: site, endpoint: `unix:///run/${site}.sock` })) },
    })
    stack.use(daemon)
    for (let look = 0; look < 2; look += 1) await daemon.pass()
    expect(known()).to.deep.equal(['store-1 Healthy 2026-11-01T12:00:00.000Z', 'store-2 Healthy now'])
    isSilent = false
    for (let look = 0; look < 2; look += 1) await daemon.pass()
    expect(known()).to.deep.equal(['store-1 Healthy now', 'store-2 Healthy now'])
  })
})
