import { expect } from 'chai'
import fc from 'fast-check'
import { batchesIn } from '../../../../lib/fleet/spread/facts/run-facts.ts'
import { runFacts } from '../../../../lib/journal/fleet/runs.ts'
import type { BatchDrawn } from '../../../../lib/state/fleet/run.ts'
import { Fleet, filesOf, minute } from '../../../component/reconcile/fleet/scene.ts'
import type { Files } from '../../../support/builders/snapshot.ts'

/** `c` goes first; the others follow one by one. */
const strategy =
  'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 30m, sites-in-parallel: 1, healthy-time: 15m}'

/** What a commit, or the registry, makes of the application for a while. */
type Trouble = 'is blocked' | 'is refused' | 'is unresolved' | 'is blocked on one site' | 'is as it should be'

/** Something happens in a fleet, and a pass is made after it. A site is one of the last batch, by its number. */
type Happening =
  | { readonly what: Trouble; readonly site: number }
  | { readonly what: 'gets unhealthy' | 'gets healthy'; readonly site: number }
  | { readonly what: 'time passes'; readonly minutes: number }

const change = fc.record({
  what: fc.constantFrom('gets unhealthy' as const, 'gets unhealthy' as const, 'gets healthy' as const),
  site: fc.nat(3),
})
const time = fc.record({
  what: fc.constant('time passes' as const),
  minutes: fc.integer({ min: 1, max: 45 }),
})

/** The application is not as it should be, and is again after something happened. */
const episode: fc.Arbitrary<readonly Happening[]> = fc
  .tuple(
    fc.record({
      what: fc.constantFrom<Trouble>('is blocked', 'is refused', 'is unresolved', 'is blocked on one site'),
      site: fc.nat(3),
    }),
    fc.array(fc.oneof(change, time), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
  .map(([trouble, meanwhile, isCorrected]) => [
    trouble,
    ...meanwhile,
    ...(isCorrected ? [{ ...trouble, what: 'is as it should be' as const }] : []),
  ])

const happenings = fc
  .array(fc.oneof({ weight: 3, arbitrary: episode }, fc.array(time, { minLength: 1, maxLength: 2 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map(all => all.flat())

function filesIn(trouble: Trouble, site: string): Files {
  const files = filesOf('2', strategy)
  switch (trouble) {
    case 'is blocked':
      return { ...files, 'deployments/shop-everywhere.yaml': 'application: shop\nname: shop-everywhere\n' }
    case 'is refused':
      return filesOf('2', strategy.replace('labels: try', 'labels: tryy'))
    case 'is blocked on one site':
      return { ...files, [`environments/prod/sites/${site}/manifest.json`]: '{' }
    case 'is unresolved':
    case 'is as it should be':
      return files
  }
}

/** A fleet that has version 1, of which the canary has just got version 2. */
async function proving(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
  await fleet.until('done', 4)
  fleet.commit(filesOf('2', strategy))
  await fleet.until('proving', 1)
  return fleet
}

function batchesOf({ journal }: Fleet): readonly BatchDrawn[] {
  const run = journal.run('prod', 'shop')
  return run === undefined ? [] : batchesIn(runFacts(journal, run))
}

async function happen(fleet: Fleet, one: Happening): Promise<void> {
  const last = batchesOf(fleet).at(-1)?.sites ?? []
  const site = 'site' in one ? (last[one.site % last.length] ?? '') : ''
  if (one.what === 'time passes') fleet.nowMs += one.minutes * minute
  else if (one.what === 'gets unhealthy') fleet.shown.set(site, { health: 'unhealthy' })
  else if (one.what === 'gets healthy') fleet.shown.delete(site)
  else {
    fleet.unresolved = one.what === 'is unresolved' ? ':2' : ''
    fleet.commit({ ...filesIn(one.what, site), 'README.md': `commit ${fleet.commits}` })
  }
  await fleet.daemon.pass()
}

/** It gets unhealthy while all is blocked, and healthy again while only a file of its own is wrong. */
const healthyBehindItsFile: readonly Happening[] = [
  ...[{ what: 'time passes', minutes: 30 } as const, { what: 'is blocked', site: 0 } as const],
  ...[{ what: 'is as it should be', site: 0 } as const, { what: 'is blocked', site: 0 } as const],
  ...[{ what: 'gets unhealthy', site: 0 } as const, { what: 'is blocked on one site', site: 0 } as const],
  ...[{ what: 'gets healthy', site: 0 } as const, { what: 'time passes', minutes: 1 } as const],
]

describe('a fleet whose application is blocked, refused or unresolved for a while', () => {
  it('A31 A32 A33 D15 draws no batch while a site of the last one was last seen unhealthy with the version', async () => {
    await fc.assert(
      fc.asyncProperty(happenings, async all => {
        await using fleet = await proving()
        for (const one of all) {
          const before = batchesOf(fleet)
          const last = (before.at(-1)?.sites ?? []).filter(site => fleet.versionOn(site) === '2')
          const unhealthy = last.filter(site => fleet.shown.has(site))
          await happen(fleet, one)
          if (batchesOf(fleet).length > before.length)
            expect(unhealthy, 'sites of the last batch that were seen unhealthy').to.deep.equal([])
        }
      }),
      { numRuns: 20, examples: [[healthyBehindItsFile]] },
    )
  })
})
