import { expect } from 'chai'
import type { Failure } from '../../../../lib/errors.ts'
import { nextBatchIds } from '../../../../lib/fleet/spread/next-batch-id.ts'
import type { ApplicationStatus } from '../../../../lib/reconcile/status/application/application-status.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, rolling, sites } from './scene.ts'

const hour = 60 * minute

/** Open every day from 02:00 to 03:00; the fleet begins shortly after midnight. */
const closed = {
  windows: { provider: [{ days: [], startMinutes: 120, zone: 'UTC', durationMs: hour }], owner: [] },
}

describe('a rolling deployment over sites with windows', () => {
  it('A34 A60 G17 goes on with sites whose window is open; the others follow when theirs opens, and hold nobody', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.restart(sites.map(site => (site.name === 'a' ? { ...site, ...closed } : site)))
    fleet.commit(filesOf('2', 'deploy-to-sites: {sites-in-parallel: 1}'))
    const { left, until } = await fleet.until('waiting', 3)
    expect(fleet.runs()).to.equal('1 2 2 2 -')
    expect(until).to.equal('1970-01-01T02:00:00.000Z')
    expect(left[0]?.reason).to.match(/^waits for the upgrade window, which opens 1970-01-01 02:00/)
    fleet.nowMs = 2 * hour
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  for (const open of ['a', 'b', 'c', 'd'])
    it(`A34 A60 draws no site whose window is closed, neither right after a commit nor once it has closed meanwhile (${open} is open)`, async () => {
      const drawn = (fleet: Fleet) => {
        const run = fleet.journal.run('prod', 'shop')
        const facts = run === undefined ? [] : fleet.journal.facts(run.id, 0)
        return facts.flatMap(({ fact }) => (fact.kind === 'batch' ? [[...fact.sites].sort().join('')] : []))
      }
      await using fleet = await Fleet.start(filesOf('1', ''))
      await fleet.until('done', 4)
      await fleet.restart(sites.map(site => (site.name === open ? site : { ...site, ...closed })))
      await fleet.until('done', 4)
      fleet.commit(filesOf('2', 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'))
      const passesAt = async (nowMs: number) => {
        fleet.nowMs = nowMs
        for (const _ of [1, 2, 3, 4]) await fleet.daemon.pass()
      }
      await passesAt(fleet.nowMs)
      expect(drawn(fleet)).to.deep.equal([open])
      await passesAt(2 * hour)
      await passesAt(2 * hour + 16 * minute)
      await passesAt(2 * hour + 20 * minute)
      const inside = drawn(fleet)
      expect(inside.length).to.equal(3)
      // The windows close before the healthy time of the third one is over.
      await passesAt(3 * hour + 10 * minute)
      await passesAt(3 * hour + 20 * minute)
      expect(drawn(fleet)).to.deep.equal(inside)
      await passesAt(26 * hour)
      await passesAt(26 * hour + 16 * minute)
      await passesAt(26 * hour + 40 * minute)
      await fleet.until('done', 4)
      expect(drawn(fleet).join('').split('').sort()).to.deep.equal(['a', 'b', 'c', 'd'])
    })

  it('A34 A60 goes on by itself when the windows open that closed while the others waited for their turn', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.restart(sites.map(site => ({ ...site, ...closed })))
    await fleet.until('done', 4)
    // The healthy time ends after the window has closed.
    fleet.nowMs = 3 * hour - minute + 10
    fleet.commit(filesOf('2', 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 1m}'))
    await fleet.until('proving', 1)
    fleet.nowMs = 3 * hour - 10
    await fleet.until('proving', 1)
    fleet.nowMs = 26 * hour - 20
    await waitUntil('nobody is ready', async () => (await fleet.status()).state === 'waiting')
    fleet.nowMs = 26 * hour
    await waitUntil('the next one has it', () => fleet.runs().match(/2/g)?.length === 2)
  })

  it('A12 A60 G13 a version that is gone back to at once waits where the window is closed, and says since when and until when', async () => {
    const all = sites.map(site => (site.name === 'a' ? { ...site, ...closed } : site))
    await using fleet = await Fleet.start(filesOf('1', ''), sites, 'auto', true)
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', ''))
    await fleet.until('done', 4)
    await fleet.restart(all)
    await fleet.until('done', 4)
    await fleet.daemon.ask('POST /api/v1/rollback', { application: 'shop' })
    const { sites: counts, reason, since, until } = await fleet.until('waiting', 3)
    expect(counts).to.deep.equal({ done: 3, now: 0, toCome: 1 })
    expect(reason).to.match(
      /^waits for a \(window-closed: waits for the upgrade window, which opens 1970-01-01 02:00/,
    )
    expect([since, until]).to.deep.equal([new Date(fleet.nowMs).toISOString(), '1970-01-01T02:00:00.000Z'])
  })

  it('A60 G13 where all windows are closed from the beginning, a deployment waits since it began', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.restart(sites.map(site => ({ ...site, ...closed })))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2'))
    const { batches, since, until } = await fleet.until('waiting', 0)
    expect([batches, since, until]).to.deep.equal([
      [],
      new Date(fleet.nowMs).toISOString(),
      '1970-01-01T02:00:00.000Z',
    ])
  })

  it('A32 A34 G25 a daemon that is started again draws none of the sites that could not go on when they were last seen', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    const someClosed = sites.map(site => ('ab'.includes(site.name) ? { ...site, ...closed } : site))
    await fleet.restart(someClosed)
    const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1}'
    fleet.commit(filesOf('2', oneByOne))
    const { batches: before } = await fleet.until('waiting', 2)
    fleet.silent = 'a'
    await fleet.daemon.pass()
    for (const _ of [1, 2]) {
      await fleet.restart(someClosed)
      const { sites: counts, batches } = await fleet.until('waiting', 2)
      expect(batches).to.deep.equal(before)
      expect(counts).to.deep.equal({ done: 2, now: 0, toCome: 2 })
    }
    fleet.silent = ''
    fleet.nowMs = 2 * hour
    await fleet.until('done', 4)
  })

  it('A33 G13 a site whose window is closed says that the deployment has ended, and no time, until it goes on', async () => {
    const rolling =
      'deploy-to-sites: {sites-in-parallel: 3, canary-sites: {match-site-labels: try}, healthy-time: 1m}'
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.restart(sites.map(site => (site.name === 'a' ? { ...site, ...closed } : site)))
    const seen = async () => {
      await fleet.daemon.pass()
      const [{ applications }] = await fleet.daemon.ask('GET /api/v1/environments')
      return applications.find((one: ApplicationStatus) => one.site === 'a' && one.application === 'shop')
    }
    fleet.failing = 'c'
    fleet.commit(filesOf('2', rolling))
    await fleet.until('aborted', 0)
    const { code, reason, until, queue } = await seen()
    expect([code, until, queue]).to.deep.equal([
      'deployment-stopped',
      undefined,
      [{ version: '2', state: 'out', reason }],
    ])
    expect(reason).to.equal('the deployment shop-everywhere failed on c')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    const resumed = await seen()
    expect([resumed.code, resumed.queue[0].state]).to.deep.equal(['window-closed', 'next'])
    expect(resumed.until).to.be.a('string')
  })

  it('A33 A65 G13 the site on which it failed waits for no window either, until somebody resumes it', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.restart(sites.map(site => ({ ...site, ...closed })))
    fleet.nowMs = 2 * hour
    fleet.failing = 'c'
    fleet.commit(filesOf('2', 'deploy-to-sites: {canary-sites: {match-site-labels: try}, healthy-time: 1m}'))
    await fleet.until('aborted', 0)
    fleet.nowMs = 4 * hour
    const queueOn = async (name: string) => {
      await fleet.daemon.pass()
      const [{ applications }] = await fleet.daemon.ask('GET /api/v1/environments')
      return applications.find((one: ApplicationStatus) => one.site === name && one.application === 'shop')
        .queue
    }
    const out = (where: string) => [
      { version: '2', state: 'out', reason: `the deployment shop-everywhere failed ${where}` },
    ]
    expect([await queueOn('c'), await queueOn('a')]).to.deep.equal([out('here'), out('on c')])
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    const [resumed] = await queueOn('c')
    expect(resumed).to.include({ version: '2', state: 'next' })
  })

  it('A64 a first installation waits for its turn, and for no window', async () => {
    await using fleet = await Fleet.start(
      filesOf('1', 'deploy-to-sites: {sites-in-parallel: 1}'),
      sites.map(site => ({ ...site, ...closed })),
    )
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })
})

describe('a site whose turn has not come', () => {
  const twoServices = (version: string, services: readonly string[]) => ({
    ...filesOf(version, rolling),
    'applications/shop.yaml': [
      'name: shop',
      `version: "${version}"`,
      'services:',
      ...services.map(
        name => `- {name: ${name}, containers: [{name: ${name}, image: "${name}:${version}"}]}`,
      ),
    ].join('\n'),
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'shop' }],
      skipConfirmation: true,
    }),
  })

  it('A32 D3 keeps a service that the new version no longer has, until its turn comes', async () => {
    await using fleet = await Fleet.start(twoServices('1', ['web', 'worker']))
    await fleet.until('proving', 2)
    fleet.nowMs += 15 * minute
    await fleet.until('proving', 4)
    fleet.commit(twoServices('2', ['web']))
    await fleet.until('proving', 2)
    expect(fleet.runs().split(' ').sort()).to.deep.equal(['-', '1+1', '1+1', '2', '2'])
    fleet.nowMs += 15 * minute
    await fleet.until('proving', 4)
    await waitUntil('what the new version no longer has is removed everywhere', async () => {
      await fleet.daemon.pass()
      return fleet.runs() === '2 2 2 2 -'
    })
  })

  it('A31 G14 asks nobody to let others pass canaries that a person has suspended, takes no such word, and goes on with them afterwards', async () => {
    const byCanary =
      'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.daemon.ask('POST /api/v1/suspend', { application: 'shop', reason: 'stocktaking' })
    fleet.commit(filesOf('2', byCanary))
    const { reason, approve } = await fleet.until('waiting', 0)
    expect({ reason, approve }).to.deep.equal({
      reason: 'no canary is ready: c (suspended: stocktaking)',
      approve: undefined,
    })
    const run = fleet.journal.run('prod', 'shop')
    const [asked] = nextBatchIds(run ?? expect.fail('no run'), [
      { kind: 'batch', atMs: 0, sites: ['c'], isCanary: true },
    ])
    const refused: Failure = await fleet.daemon
      .ask(`POST /api/v1/plans/${asked?.unproved}/approve`, { who: 'ann' })
      .then(
        () => expect.fail('it is approved'),
        error => error,
      )
    expect([refused.code, refused.message]).to.deep.equal([
      'plan-answered',
      `nobody is asked under ${asked?.unproved} now: shop-everywhere waits for no word`,
    ])
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    const resumed = await fleet.until('waiting', 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    expect(resumed.approve).to.be.a('string')
  })
})
