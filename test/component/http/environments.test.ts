import { expect } from 'chai'
import { printed } from '../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../lib/cli/text/status/status-text.ts'
import { environmentStatus } from '../../../lib/reconcile/status/environment-status.ts'
import { keptTogether } from '../../../lib/reconcile/status/last-state.ts'
import { type MemoryDaemon, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const good = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
const broken = { 'environments/prod/manifest.json': '{"services": 7}' }

async function status(daemon: MemoryDaemon) {
  const [only] = await daemon.ask('GET /api/v1/environments')
  return only
}

/** The text of the status without times. */
function lines(shown: Parameters<typeof statusLines>[0]): readonly string[] {
  const text = printed(statusLines({ ...shown, ingress: [] }, Date.now()), false)
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').split('\n')
}

describe('the status of an environment', () => {
  it('G13 tells the last known state of everything, and beside it why the newest commit is not it', async () => {
    await using daemon = await memoryDaemon({ files: good })
    await daemon.pass()
    await daemon.pass()
    daemon.commit(broken)
    await daemon.pass()
    const seen = await status(daemon)
    expect(seen.environment).to.equal('prod')
    expect(seen.unread).to.equal('2'.repeat(40))
    expect(seen.revision.commit).to.equal('1'.repeat(40))
    expect(
      seen.applications.map(
        ({ application, health, running }: Record<string, string>) => `${application} ${health} ${running}`,
      ),
    ).to.deep.equal(['web Healthy 1'])
    const text = lines(seen)
    expect(text[0]).to.equal('prod  Unknown  at 111111111111 "Deploy"  last pass: failed')
    expect(text).to.include('  the newest commit, 222222222222, is not the one that counts:')
    expect(text.join()).to.match(/manifest\.json:1:\d+: .*services/)
    expect(text.find(line => line.startsWith('  web'))).to.match(/web +local +Synced +Healthy +1 +1\/1/)
  })

  it('G13 the log entry of such a pass has the environment, and the commit that could not be read', async () => {
    await using daemon = await memoryDaemon({ files: good })
    await daemon.pass()
    daemon.commit(broken)
    await daemon.pass()
    const [entry] = daemon.journal.log({ limit: 1 })
    expect([entry?.environment, entry?.revision?.commit, entry?.outcome]).to.deep.equal([
      'prod',
      '2'.repeat(40),
      'failed',
    ])
  })

  it('G13 is known again at once after a restart, and without a daemon', async () => {
    const journal = memoryJournal()
    {
      await using daemon = await memoryDaemon({ files: good, journal })
      await daemon.pass()
      await daemon.pass()
    }
    const seen = await environmentStatus(
      { environment: 'prod', journal, ...keptTogether(journal, 'prod'), nowMs: Date.now() },
      async () => undefined,
    )
    expect(seen).to.include({ daemon: false, sync: 'Synced', environment: 'prod' })
    expect(lines({ ...seen, ingress: [] }).slice(0, 2)).to.deep.equal([
      'prod  Synced  at 111111111111 "Deploy"  last pass: in-sync',
      '  no daemon runs; this is the last known state, at TIME (0 s ago)',
    ])
    await using again = await memoryDaemon({ files: broken, journal, environments: ['prod'] })
    await again.pass()
    const [web] = (await status(again)).applications
    expect(web).to.include({ application: 'web', health: 'Healthy' })
  })

  it('G17 is made of what is known by then: what was found on the sites is not read again for its deployments', async () => {
    const journal = memoryJournal()
    const deployment = { name: 'everywhere', application: 'web', placement: { 'all-sites': true } }
    const waits = manifestOf('prod', { web: '1' }, { skipConfirmation: false })
    const files = { ...waits, 'environments/prod/deployments/everywhere.json': JSON.stringify(deployment) }
    await using daemon = await memoryDaemon({ files, journal })
    await daemon.pass()
    const source = { environment: 'prod', journal, ...keptTogether(journal, 'prod'), nowMs: Date.now() }
    const unread = () => {
      throw new Error('what was found on the sites is read again')
    }
    const told = await environmentStatus(
      { ...source, journal: { ...journal, keptState: unread, keptStates: unread } },
      async () => undefined,
    )
    expect(told.waiting).to.not.equal(undefined)
    expect(told.deployments).to.have.length(1)
  })

  it('G17 lets others have a turn between the parts of a status of more than a thousand applications', async () => {
    const journal = memoryJournal()
    const deployment = { name: 'everywhere', application: 'web', placement: { 'all-sites': true } }
    const files = { ...good, 'environments/prod/deployments/everywhere.json': JSON.stringify(deployment) }
    {
      await using daemon = await memoryDaemon({ files, journal })
      await daemon.pass()
    }
    const { state, ...kept } = keptTogether(journal, 'prod')
    const turnsFor = async (count: number) => {
      const [web] = state?.applications ?? []
      const applications = Array.from({ length: count }, (_, n) => ({ ...web, site: `store-${n}` }))
      let turns = 0
      const source = { environment: 'prod', journal, ...kept, nowMs: Date.now() }
      const goOn = async () => {
        turns += 1
      }
      await environmentStatus({ ...source, state: Object.assign({}, state, { applications }) }, goOn)
      return turns
    }
    expect([await turnsFor(1_000), await turnsFor(1_001)]).to.deep.equal([0, 3])
  })

  it('G4 an empty manifest fails while something runs, and all words of it agree', async () => {
    await using daemon = await memoryDaemon({ files: good })
    await daemon.pass()
    daemon.commit(manifestOf('prod', {}))
    await daemon.pass()
    const { outcome, sync, errors, applications } = await status(daemon)
    expect({ outcome, sync, codes: errors.map(({ code }: Record<string, string>) => code) }).to.deep.equal({
      outcome: 'failed',
      sync: 'OutOfSync',
      codes: ['empty-desired-state'],
    })
    expect(applications[0].reason).to.match(/asks for nothing at all/)
  })
})
