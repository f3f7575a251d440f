import { expect } from 'chai'
import { renamingsIn } from '../../../../lib/reconcile/repository/renamed-sites.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('as which site an engine is served, on record', () => {
  it('D17 is one site for each engine, and one engine for each site, in each environment', () => {
    const journal = memoryJournal()
    const served = (engine: string, environment = 'prod') => journal.servedAs(environment, engine)?.site
    journal.setServed('prod', 'E1', { site: 'a', endpoint: '' })
    journal.setServed('prod', 'E2', { site: 'b', endpoint: 'ssh://ops@b' })
    expect([served('E1'), served('E2'), served('E1', 'test')]).to.deep.equal(['a', 'b', undefined])
    expect(journal.servedAs('prod', 'E2')).to.deep.equal({ site: 'b', endpoint: 'ssh://ops@b' })
    journal.setServed('prod', 'E1', { site: 'b', endpoint: 'ssh://ops@b' })
    expect([served('E1'), served('E2')]).to.deep.equal(['b', undefined])
    expect(journal.engineServed('prod', 'b')).to.deep.equal({ engine: 'E1', endpoint: 'ssh://ops@b' })
    expect(journal.engineServed('prod', 'a')).to.equal(undefined)
  })
})

describe('what is on record of sites that have other names now', () => {
  it("G5 A25 goes with the engines, also where names are exchanged or handed round, and is no other engine's", () => {
    const journal = memoryJournal()
    for (const site of ['a', 'b', 'c', 'd', 'e', 'f']) {
      journal.setServed('prod', `E${site}`, { site, endpoint: `unix:///${site}` })
      journal.quarantine(entry(site, `failed on ${site}`))
      journal.setApplied({ ...service(site), target: '1', commit: 'c1', atMs: 0 })
    }
    // a and b are exchanged; c is called d, and d is called e, whose engine went; f stays.
    const now = { a: 'b', b: 'a', d: 'c', e: 'd', f: 'f' }
    const sites = Object.entries(now).map(([name, of]) => ({ name, endpoint: `unix:///${of}` }))
    const groups = renamingsIn(journal.servedEngines('prod'), sites)
    expect(groups.map(group => group.map(({ from, to }) => `${from} → ${to}`))).to.deep.equal([
      ['c → d', 'd → e'],
      ['a → b', 'b → a'],
    ])
    for (const group of groups) journal.renameSites('prod', group)
    const failed = journal.quarantined('prod').map(({ site, reason }) => `${site}: ${reason.message}`)
    expect(failed.toSorted()).to.deep.equal([
      'a: failed on b',
      'b: failed on a',
      'd: failed on c',
      'e: failed on d',
      'f: failed on f',
    ])
    expect(journal.servedEngines('prod').map(({ site, engine }) => `${site}: ${engine}`)).to.deep.equal([
      'a: Eb',
      'b: Ea',
      'd: Ec',
      'e: Ed',
      'f: Ef',
    ])
    expect([...journal.applied('prod').keys()]).to.deep.equal(['f/web/web'])
    expect(renamingsIn(journal.servedEngines('prod'), sites)).to.deep.equal([])
  })

  it('A25 stays under a new name if it was there before and is about no other engine', () => {
    const journal = memoryJournal()
    journal.setServed('prod', 'E1', { site: 'a', endpoint: '' })
    journal.quarantine(entry('a', 'failed on a'))
    journal.quarantine(entry('b', 'failed on b'))
    journal.renameSites('prod', [{ engine: 'E1', endpoint: '', from: 'a', to: 'b' }])
    expect(journal.quarantined('prod').map(({ site, reason }) => [site, reason.message])).to.deep.equal([
      ['b', 'failed on b'],
    ])
  })

  it('A25 is handed on to nobody while a site has its endpoint as before, or nobody has it', () => {
    const served = [
      { engine: 'E1', site: 'a', endpoint: 'unix:///one' },
      { engine: 'E2', site: 'b', endpoint: 'unix:///two' },
      { engine: 'E3', site: 'c', endpoint: 'unix:///one' },
    ]
    expect(renamingsIn(served, [{ name: 'a', endpoint: 'unix:///one' }, { name: 'd' }])).to.deep.equal([])
  })
})

const service = (site: string) => ({ environment: 'prod', site, application: 'web', service: 'web' })

function entry(site: string, message: string) {
  const reason = { code: 'exited-early', message } as const
  return { ...service(site), target: '2', release: 'r2', commit: 'c2', reason, atMs: 0 }
}
