import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { unlessItHangs } from '../../../../support/time/hangs.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, rolling } from '../scene.ts'

const quarter = 15 * minute
const nobody = { environment: 'prod', source: '', address: '', directory: '', commit: '' }

/** An application of these services, `pace` of a deployment over its four sites, and the versions that it may follow. */
function shopOf(version: string, services: readonly string[], more: { from?: string; pace?: string } = {}) {
  const { from, pace = rolling } = more
  const files: Files = {
    ...filesOf(version, pace),
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'shop' }],
      skipConfirmation: true,
    }),
    'applications/shop.yaml': [
      ...['name: shop', `version: "${version}"`, 'services:'],
      ...services.map(
        name => `- {name: ${name}, containers: [{name: ${name}, image: "${name}:${version}"}]}`,
      ),
      ...(from === undefined ? [] : [`upgrade-from: [{version-regexp: '${from}', method: per-service}]`]),
    ].join('\n'),
  }
  return files
}

/** Version 1 is everywhere with `web` and `worker`, and the operator wants nothing removed. */
async function startedWith(pace: string): Promise<Fleet> {
  const fleet = await Fleet.start(shopOf('1', ['web', 'worker'], { pace }), undefined, 'never')
  await spread(fleet)
  return fleet
}

/** Looks until all sites have what is wanted, and the healthy time of each batch is over. */
async function spread(fleet: Fleet): Promise<void> {
  await waitUntil('all sites are done', async () => {
    await fleet.daemon.pass()
    const { state, sites } = await fleet.status()
    if (state === 'proving') fleet.nowMs += quarter
    return state === 'done' && sites.done === 4
  })
}

/** How an application is on a site. */
async function rowOn(fleet: Fleet, site: string) {
  const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
  return environment.applications.find((one: { readonly site: string }) => one.site === site)
}

/** Stops what a site has of a service. */
async function stop(fleet: Fleet, site: string, service: string): Promise<void> {
  const engine = fleet.engines.get(site)
  for (const [container, { image }] of engine?.has().containers ?? [])
    if (image.includes(`/${service}:`))
      await engine?.execute({ do: 'stop-container', container }, nobody, unlessItHangs())
}

describe('a service that a version no longer has, and that "prune: never" keeps', () => {
  it('D3 A33 G12 is waited for by no deployment, and status says why it stays', async () => {
    await using fleet = await startedWith(rolling)
    fleet.commit(shopOf('2', ['web']))
    await spread(fleet)
    expect(fleet.runs()).to.equal('1+2 1+2 1+2 1+2 -')
    expect(await rowOn(fleet, 'a')).to.include({
      ...{ sync: 'OutOfSync', health: 'Healthy', version: '2', running: 1, wanted: 1, code: 'prune-never' },
      reason: 'no longer in the specification of shop; "prune: never" only reports',
    })
    expect((await rowOn(fleet, 'a')).wantedVersion).to.equal(undefined)
  })

  it('D3 A33 proves nothing about the version, whatever becomes of it', async () => {
    await using fleet = await startedWith(rolling)
    fleet.commit(shopOf('2', ['web']))
    const { until, batches } = await fleet.until('proving', 2)
    for (const { site } of batches.at(-1)?.sites ?? []) await stop(fleet, site, 'worker')
    await fleet.daemon.pass()
    const after = await fleet.status()
    expect([after.state, after.until]).to.deep.equal(['proving', until])
    expect((await rowOn(fleet, 'a')).health).to.equal('Healthy')
  })

  it('A6 D3 leaves the version complete, so that its images are kept as those of one that ran', async () => {
    await using fleet = await startedWith('')
    fleet.commit(shopOf('2', ['web'], { pace: '' }))
    await spread(fleet)
    const images = fleet.journal.versions('a').map(one => one.images.map(({ reference }) => reference))
    expect(images.map(names => names.map(name => name.slice(name.lastIndexOf('/') + 1)))).to.deep.equal([
      ['web:2'],
      ['web:1', 'worker:1'],
    ])
  })

  it('A42 A65 D3 closes no upgrade path: it is of the version that left it behind', async () => {
    await using fleet = await startedWith('')
    fleet.commit(shopOf('2', ['web'], { pace: '' }))
    await spread(fleet)
    fleet.commit(shopOf('3', ['web'], { pace: '', from: '^2$' }))
    await spread(fleet)
    expect(fleet.runs()).to.equal('1+3 1+3 1+3 1+3 -')
  })

  it('A42 A65 D3 closes none either to a version that has it again', async () => {
    await using fleet = await startedWith('')
    fleet.commit(shopOf('2', ['web'], { pace: '' }))
    await spread(fleet)
    fleet.commit(shopOf('3', ['web', 'worker'], { pace: '', from: '^2$' }))
    await spread(fleet)
    expect(fleet.runs()).to.equal('3+3 3+3 3+3 3+3 -')
  })

  for (const [what, begins] of [
    [
      'the environment is suspended',
      (fleet: Fleet) =>
        fleet.daemon.ask('POST /api/v1/suspend', { environment: 'prod', reason: 'stocktaking' }),
    ],
    [
      'the newest commit cannot be read',
      async (fleet: Fleet) =>
        fleet.commit({ ...shopOf('2', ['web']), 'environments/prod/manifest.json': '{ nonsense' }),
    ],
  ] as const)
    it(`A33 D3 keeps no failure of the version from being heard where ${what}`, async () => {
      await using fleet = await startedWith(rolling)
      fleet.commit(shopOf('2', ['web']))
      await fleet.until('proving', 2)
      const site = ['a', 'b', 'c', 'd'].find(name => /2/.test(fleet.versionOn(name))) ?? ''
      await begins(fleet)
      await fleet.daemon.pass()
      fleet.shown.set(site, { health: 'unhealthy' })
      await fleet.daemon.pass()
      await fleet.daemon.pass()
      const [run] = fleet.journal.lastRuns('prod', 'shop')
      expect(fleet.journal.facts(run?.id ?? 0, 0).map(({ fact }) => fact.kind)).to.include('failed')
    })

  it('A32 D3 lets nobody pass his turn on the way back to the version that had it', async () => {
    await using fleet = await startedWith(rolling)
    fleet.commit(shopOf('2', ['web']))
    await spread(fleet)
    fleet.commit(shopOf('1', ['web', 'worker']))
    await fleet.until('proving', 2)
    expect([...fleet.runs().matchAll(/1\+1/g)]).to.have.length(2)
  })
})

describe('a service that a version no longer has, and whose removal nobody has approved', () => {
  it('A42 A65 G13 is what later versions wait for, and their queue says so', async () => {
    const pace = ''
    await using fleet = await Fleet.start(shopOf('1', ['web', 'worker'], { pace }), undefined, 'confirm')
    await spread(fleet)
    fleet.commit(shopOf('2', ['web'], { pace }))
    await waitUntil('version 2 is there', async () => {
      await fleet.daemon.pass()
      return fleet.runs() === '1+2 1+2 1+2 1+2 -'
    })
    fleet.commit(shopOf('3', ['web'], { pace, from: '^2$' }))
    await waitUntil('a queue', async () => {
      await fleet.daemon.pass()
      return (await rowOn(fleet, 'a')).queue !== undefined
    })
    expect((await rowOn(fleet, 'a')).queue).to.deep.equal([
      {
        ...{ version: '2', state: 'next' },
        reason: 'is here; another one follows once what it no longer has is removed: worker',
      },
      { version: '3', state: 'later' },
    ])
  })
})
