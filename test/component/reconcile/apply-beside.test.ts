import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { journalIn } from '../../../lib/journal/journal.ts'
import type { Database } from '../../../lib/journal/store/database.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { everyImage, manifestOf, memoryDaemon, memoryWorlds } from '../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryDatabase } from '../../support/memory/memory-journal.ts'

const { signal } = new AbortController()
const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
const siteOf = (name: string, engine = name) => ({ name, endpoint: `unix:///run/${engine}.sock` })

/** What tells of passes that were made, and not of how anything is. */
const history = ['pass', 'pass_step', 'plan', 'plan_change']

/** All that a journal has, by table. */
function dump(database: Database): ReadonlyMap<string, string> {
  const tables = database
    .all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .map(({ name }) => String(name))
  return new Map(
    tables
      .filter(name => !history.includes(name))
      .map(name => [name, JSON.stringify(database.all(`SELECT * FROM "${name}"`))]),
  )
}

/**
 * A daemon was brought to three sites. By now `old` is called `new`, `gone` is configured no more, and `away` does not
 * answer. What the daemon still does on `old` is about to fail. Somebody applies with its journal.
 */
async function scene() {
  const database = memoryDatabase()
  const journal = journalIn(database)
  const engineOf = (site: string) => memoryEngine({ site, distribution: everyImage })
  const daemon = await memoryDaemon({
    ...{ environments: ['prod'], files, journal, engines: ['old', 'gone', 'away'].map(engineOf) },
    config: { sites: ['old', 'gone', 'away'].map(name => siteOf(name)) },
  })
  await daemon.pass()
  await daemon[Symbol.asyncDispose]()
  const own = { environment: 'prod', site: 'old', application: 'web', service: 'web' }
  journal.beginAttempt({ ...own, target: 't2', release: 'r2', atMs: 0 })
  journal.quarantine({
    ...{ ...own, target: 't2', release: 'r2', commit: 'c2', atMs: 0 },
    reason: { code: 'unhealthy', message: 'it is not healthy' },
  })
  journal.barVersion({ ...own, digest: 'd2', message: 'the deploy failed', atMs: 0 })
  journal.keepState('prod', '', { outcome: 'failed', sync: 'Unknown', errors: [], applications: [] })
  const away: MemoryEngine = engineOf('away')
  const silent = async () => {
    throw new Failure('engine-unreachable', 'it does not answer')
  }
  const apply = async (more: {
    readonly rivalIn?: readonly string[]
    readonly rivalOn?: readonly string[]
  }) => {
    const { worlds } = memoryWorlds({
      ...{ environments: ['prod'], files, journal, ...more },
      engines: [
        { ...engineOf('new'), info: engineOf('old').info },
        { ...away, info: silent, observe: silent },
        engineOf('added'),
      ],
      config: { sites: [siteOf('new', 'old'), siteOf('away'), siteOf('added')] },
    })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    return round(
      world,
      { trigger: 'command', until: 'apply', freshness: { maxAgeMs: 0, lastGood: true } },
      signal,
    )
  }
  return { database, journal, apply }
}

describe('an apply with the journal of a daemon', () => {
  it('D17 P6 H29 writes nothing that the daemon goes by, while that is the writer', async () => {
    const { database, apply } = await scene()
    const before = dump(database)
    const { errors } = await apply({ rivalIn: ['prod'] })
    expect(errors.map(({ code }) => code)).to.include('another-writer')
    const changed = [...dump(database)].flatMap(([table, rows]) =>
      before.get(table) === rows ? [] : `${table}: ${rows}`,
    )
    expect(changed).to.deep.equal([])
  })

  it('D17 forgets no site that it does not know, while another one writes to one that it knows', async () => {
    const { journal, apply } = await scene()
    const { errors } = await apply({ rivalOn: ['old'] })
    expect(errors.map(({ code }) => code)).to.include('another-writer')
    expect(journal.keptStates('prod').map(({ site }) => site)).to.deep.equal([
      '',
      'added',
      'away',
      'gone',
      'old',
    ])
  })

  it('A25 P6 hands on what failed on a site that has another name now, once it writes there', async () => {
    const { journal, apply } = await scene()
    await apply({})
    expect(journal.barred('prod').map(({ site }) => site)).to.deep.equal(['new'])
    expect(journal.keptStates('prod').map(({ site }) => site)).to.deep.equal(['added', 'away', 'new'])
    expect([...journal.attempts('prod').keys()].filter(key => key.startsWith('old'))).to.deep.equal([])
  })
})
