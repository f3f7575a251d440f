import { expect } from 'chai'
import type { Journal } from '../../../../../lib/journal/journal.ts'
import {
  environmentName,
  isWrittenAs,
} from '../../../../../lib/reconcile/repository/identity/environment-name.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { manifestOf, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const { signal } = new AbortController()

function world(journal: Journal, environment?: string) {
  const files = manifestOf('prod', { web: '1' })
  const [first] = memoryWorlds({
    files,
    journal,
    ...(environment === undefined ? {} : { environments: [environment] }),
  }).worlds
  if (first === undefined) throw new Error('there is one')
  return first
}

/** A journal of passes over these environments. */
function journalOf(...environments: readonly string[]): Journal {
  const journal = memoryJournal()
  for (const environment of environments) journal.keepState(environment, 'local', {}, 0)
  return journal
}

describe('what an environment is called before it is read', () => {
  it('D17 is the only one of the journal, where nobody named one', () => {
    expect(environmentName(world(journalOf('prod')))).to.equal('prod')
    expect(environmentName(world(journalOf('devel', 'prod')))).to.equal('')
    expect(environmentName(world(journalOf()))).to.equal('')
  })

  it('D17 is what it was named, whatever else the journal knows', () => {
    expect(environmentName(world(journalOf('devel'), 'prod'))).to.equal('prod')
  })

  it('D17 is not guessed where two are called so, though only one of them was ever looked at', () => {
    const journal = journalOf('prod-969846d6')
    journal.setEnvironment(identity('prod'))
    journal.setEnvironment({ ...identity('prod-969846d6'), directory: 'teams/a/environments/prod' })
    expect(environmentName(world(journal, 'prod'))).to.equal('')
  })

  it('D17 is what it was read as, once it was', async () => {
    const read = world(memoryJournal())
    await round(read, planOnly, signal)
    expect(environmentName(read)).to.equal('prod')
    expect([isWrittenAs(read, './environments/prod/'), isWrittenAs(read, 'devel')]).to.deep.equal([
      true,
      false,
    ])
    expect(isWrittenAs(world(journalOf('prod')), 'prod')).to.equal(false)
  })

  it('D15 D17 is known once it was found, though nothing there can be read; what was read before counts', async () => {
    const unreadable = { 'environments/devel/manifest.json': '{' }
    const [found] = memoryWorlds({ files: unreadable }).worlds
    if (found === undefined) throw new Error('there is one')
    await round(found, planOnly, signal)
    expect(environmentName(found)).to.equal('devel')

    const { worlds, commit } = memoryWorlds({ files: manifestOf('prod', { web: '1' }) })
    const [renamed] = worlds
    if (renamed === undefined) throw new Error('there is one')
    await round(renamed, planOnly, signal)
    commit(unreadable)
    await round(renamed, planOnly, signal)
    expect(environmentName(renamed)).to.equal('prod')
  })
})

const planOnly = { trigger: 'command', until: 'plan', freshness: { maxAgeMs: 0, lastGood: false } } as const
