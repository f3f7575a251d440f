import { expect } from 'chai'
import { round } from '../../../../../lib/reconcile/round.ts'
import type { SiteEntry } from '../../../../support/builders/sites.ts'
import { memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const hour = 60 * minute
const { signal } = new AbortController()

/** Open every day from 02:00 to 03:00; the fleet begins shortly after midnight. */
const closed = {
  windows: { provider: [{ days: [], startMinutes: 120, zone: 'UTC', durationMs: hour }], owner: [] },
}

/** A fleet that has version 1, and no daemon any more. */
async function fleetOfOne(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', ''))
  await fleet.until('done', 4)
  await fleet.daemon[Symbol.asyncDispose]()
  return fleet
}

/** What `tallyman apply` does without a daemon: it knows what is on record, and nothing else. */
async function apply(fleet: Fleet, all: readonly SiteEntry[]): Promise<string> {
  const { worlds, close } = memoryWorlds({
    ...{ environments: ['prod'], files: fleet.files, engines: [...fleet.engines.values()] },
    ...{ journal: fleet.journal, config: { sites: all } },
    clock: { nowMs: () => fleet.nowMs, steadyMs: () => fleet.nowMs },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  const freshness = { maxAgeMs: 0, lastGood: true }
  await round(world, { trigger: 'command', until: 'apply', freshness }, signal)
  await close()
  return fleet.runs()
}

describe('a deployment that is brought on by commands, without a daemon', () => {
  for (const [what, strategy] of [
    ['one site at a time', 'deploy-to-sites: {sites-in-parallel: 1}'],
    ['two at a time', 'deploy-to-sites: {sites-in-parallel: 2, healthy-time: 1m}'],
  ] as const)
    it(`A34 A60 goes on past sites whose window is closed, and comes to them when it opens: ${what}`, async () => {
      await using fleet = await fleetOfOne()
      const someClosed = sites.map(site => ('ab'.includes(site.name) ? { ...site, ...closed } : site))
      fleet.files = filesOf('2', strategy)
      const apply8 = async () => {
        for (const _ of Array(8)) {
          await apply(fleet, someClosed)
          fleet.nowMs += minute
        }
        return fleet.runs()
      }
      expect(await apply8()).to.equal('1 1 2 2 -')
      fleet.nowMs = 2 * hour
      expect(await apply8()).to.equal('2 2 2 2 -')
    })

  it('A34 D15 goes on past sites of which a file of their own is wrong, and comes to them once it is corrected', async () => {
    await using fleet = await fleetOfOne()
    const files = filesOf('2', 'deploy-to-sites: {sites-in-parallel: 1}')
    const wrong = ['a', 'b'].map(site => [`environments/prod/sites/${site}/manifest.json`, '{'])
    fleet.files = { ...files, ...Object.fromEntries(wrong) }
    const apply8 = async () => {
      for (const _ of Array(8)) await apply(fleet, sites)
      return fleet.runs()
    }
    expect(await apply8()).to.equal('1 1 2 2 -')
    fleet.files = files
    expect(await apply8()).to.equal('2 2 2 2 -')
  })

  it('A34 A60 X20 goes on past them also after the word that lets all follow the canaries', async () => {
    await using fleet = await fleetOfOne()
    const someClosed = sites.map(site => (site.name === 'a' ? { ...site, ...closed } : site))
    fleet.files = filesOf(
      '2',
      'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true, sites-in-parallel: 2, healthy-time: 1m}',
    )
    expect(await apply(fleet, someClosed)).to.equal('1 1 2 1 -')
    await apply(fleet, someClosed)
    const run = fleet.journal.run('prod', 'shop') ?? expect.fail('there is one')
    const said = { who: 'ann', message: '', atMs: fleet.nowMs } as const
    fleet.journal.addFact(run.id, { kind: 'word', word: 'continue', ...said })
    for (const _ of Array(6)) {
      await apply(fleet, someClosed)
      fleet.nowMs += minute
    }
    expect(fleet.runs()).to.equal('1 2 2 2 -')
  })
})
