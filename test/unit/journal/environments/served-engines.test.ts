import { expect } from 'chai'
import { memoryJournal } from '../../../support/memory-journal.ts'

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
