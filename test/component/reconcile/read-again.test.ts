import { expect } from 'chai'
import type { Config } from '../../../lib/config.ts'
import type { Engine } from '../../../lib/engine.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { keptTogether } from '../../../lib/reconcile/status/last-state.ts'
import { everyImage, manifestOf, memoryWorlds, silent } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const { signal } = new AbortController()
const request = { trigger: 'command', until: 'apply', freshness: { maxAgeMs: 0, lastGood: false } } as const

describe('a repository that could not be read', () => {
  it('G13 is no longer said of its environment once a single round has read it again', async () => {
    const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
    const { worlds, commit, journal } = memoryWorlds({ files, environments: ['prod'] })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    const sites = () => journal.keptStates('prod').map(({ site }) => site)
    await round(world, request, signal)
    commit({ 'environments/prod/manifest.json': '{' })
    await round(world, request, signal)
    expect([sites(), keptTogether(journal, 'prod').state?.outcome]).to.deep.equal([['', 'local'], 'failed'])
    commit(files, '3'.repeat(40))
    await round(world, request, signal)
    expect([sites(), keptTogether(journal, 'prod').state?.outcome]).to.deep.equal([['local'], 'in-sync'])
  })

  it('G21 costs no write to forget where nothing is said of it', async () => {
    const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
    const { worlds, journal } = memoryWorlds({ files, environments: ['prod'] })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    let forgotten = 0
    const counting = {
      ...journal,
      forgetCommonState: (environment: string) => {
        forgotten += 1
        journal.forgetCommonState(environment)
      },
    }
    await round({ ...world, journal: counting }, request, signal)
    expect(forgotten).to.equal(0)
  })
})

describe('a site that is no longer configured', () => {
  it('G13 is in no status any more, and no plan of it waits; what was done there stays on record', async () => {
    const files = manifestOf('prod', { web: '1' })
    const [east, west] = ['east', 'west'].map(site => memoryEngine({ site, distribution: everyImage }))
    if (east === undefined || west === undefined) throw new Error('there are two')
    const journal = memoryJournal()
    const worldOver = (engines: readonly Engine[]) => {
      const sites = engines.map(({ site: name }) => ({ name, endpoint: `unix:///run/${name}.sock` }))
      const parts = { files, journal, engines, environments: ['prod'], config: { sites } }
      const [world] = memoryWorlds(parts).worlds
      if (world === undefined) throw new Error('there is one')
      return world
    }
    await round(worldOver([east, west]), { ...request, keepsWaiting: true }, signal)
    expect(journal.keptStates('prod').map(({ site }) => site)).to.deep.equal(['east', 'west'])
    expect(journal.waiting('prod').map(({ site }) => site)).to.deep.equal(['east', 'west'])
    await round(worldOver([east]), { ...request, keepsWaiting: true }, signal)
    expect(journal.keptStates('prod').map(({ site }) => site)).to.deep.equal(['east'])
    expect(journal.waiting('prod').map(({ site }) => site)).to.deep.equal(['east'])
    expect(journal.log({ environment: 'prod', limit: 10 }).some(({ site }) => site === 'west')).to.equal(true)
  })

  it('G13 is told apart from one whose file cannot be used', async () => {
    const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
    const [east, west] = ['east', 'west'].map(site => memoryEngine({ site, distribution: everyImage }))
    if (east === undefined || west === undefined) throw new Error('there are two')
    const problem = { code: 'config-invalid', message: 'is the same engine as the site east' } as const
    const saidAfter = async (wrongSites: Config['wrongSites']) => {
      const journal = memoryJournal()
      const said: string[] = []
      for (const engines of [[east, west], [east]]) {
        const sites = engines.map(({ site: name }) => ({ name, endpoint: `unix:///run/${name}.sock` }))
        const parts = { files, journal, engines, environments: ['prod'], config: { sites, wrongSites } }
        const [world] = memoryWorlds(parts).worlds
        if (world === undefined) throw new Error('there is one')
        const log = { ...silent, warn: (text: string) => void said.push(text) }
        await round(Object.assign(world, { log }), request, signal)
      }
      return said
    }
    const stays = 'what runs there stays, and is no longer looked after'
    expect(await saidAfter([])).to.deep.equal([`a site is no longer configured: ${stays}`])
    expect(await saidAfter([{ name: 'west', problems: [problem] }])).to.deep.equal([
      `the file of a site cannot be used, is the same engine as the site east (config-invalid): ${stays}`,
    ])
  })

  it('G13 A25 is not warned of if it only has another name now', async () => {
    const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
    const [east, west] = ['east', 'west'].map(site => memoryEngine({ site, distribution: everyImage }))
    if (east === undefined || west === undefined) throw new Error('there are two')
    const journal = memoryJournal()
    const said: string[] = []
    for (const name of ['west', 'north']) {
      const sites = [
        { name: 'east', endpoint: 'unix:///run/east.sock' },
        { name, endpoint: 'unix:///run/west.sock' },
      ]
      const engines = [east, { ...west, site: name }]
      const [world] = memoryWorlds({
        files,
        journal,
        engines,
        environments: ['prod'],
        config: { sites },
      }).worlds
      if (world === undefined) throw new Error('there is one')
      const log = {
        ...silent,
        warn: (text: string) => void said.push(`warning: ${text}`),
        info: (text: string) => void said.push(text),
      }
      await round(Object.assign(world, { log }), request, signal)
    }
    expect(said.filter(text => text.includes('a site is'))).to.deep.equal(['a site is called north now'])
  })
})
