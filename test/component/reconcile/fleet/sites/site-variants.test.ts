import { expect } from 'chai'
import { advance } from '../../../../../lib/reconcile/fleet/advance.ts'
import type { DeploymentStatus } from '../../../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { nothingBegun } from '../../../../support/fleet/nothing-begun.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, names } from '../scene.ts'

/** `shop` in a version of its own, with an image, and with other images on some sites. */
function shop(version: string, tag: string, onSites: Readonly<Record<string, string>> = {}): Files {
  const services = (dockerTag: string) =>
    JSON.stringify({ services: [{ name: 'shop', version, containers: [{ dockerTag }] }] })
  return {
    ...filesOf(tag),
    'environments/prod/manifest.json': JSON.stringify({
      skipConfirmation: true,
      services: [{ name: 'shop', version, containers: [{ dockerTag: tag }] }],
    }),
    ...Object.fromEntries(
      Object.entries(onSites).map(([site, own]) => [
        `environments/prod/sites/${site}/manifest.json`,
        services(own),
      ]),
    ),
  }
}

/** All four edge sites have the first version. */
async function deployed(files: Files): Promise<Fleet> {
  const fleet = await Fleet.start(files)
  await fleet.until('proving', 2)
  fleet.nowMs += 15 * minute
  await fleet.until('proving', 4)
  fleet.nowMs += 15 * minute
  await fleet.until('done', 4)
  return fleet
}

const runsOf = (fleet: Fleet) => fleet.journal.run('prod', 'shop')?.id

describe('a deployment to sites that differ', () => {
  it('A72 A11 what changes for one site takes effect there at once, and no run begins anew', async () => {
    await using fleet = await deployed(shop('1.0.0', 'a', { b: 'b' }))
    expect(fleet.runs()).to.equal('a b a a -')
    const run = runsOf(fleet)
    fleet.commit(shop('1.0.0', 'a', { b: 'c' }))
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('a c a a -')
    fleet.commit(shop('1.0.0', 'a'))
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('a a a a -')
    expect(runsOf(fleet)).to.equal(run)
  })

  it('A72 A32 a new version reaches a site that differs in its turn, as it is there', async () => {
    await using fleet = await deployed(shop('1.0.0', 'a', { b: 'b' }))
    fleet.commit(shop('2.0.0', 'd', { b: 'e' }))
    await fleet.until('proving', 2)
    expect(
      fleet
        .runs()
        .split(' ')
        .filter(tag => ['d', 'e'].includes(tag)),
    ).to.have.length(2)
    fleet.nowMs += 15 * minute
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('d e d d -')
  })

  it('A72 A33 a site for which something is wrong keeps what it has, holds up no other, and follows once it is corrected', async () => {
    await using fleet = await deployed(shop('1.0.0', 'a', { b: 'b' }))
    fleet.commit({ ...shop('2.0.0', 'd'), 'environments/prod/sites/b/manifest.json': '{' })
    await waitUntil('all others have it', async () => {
      await fleet.daemon.pass()
      fleet.nowMs += 15 * minute
      return (await fleet.status()).state === 'waiting'
    })
    expect(fleet.runs()).to.equal('d b d d -')
    fleet.commit(shop('2.0.0', 'd', { b: 'e' }))
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('d e d d -')
  })

  /** Passes are made, and time goes by, until the deployment is in a state. */
  async function untilIn(fleet: Fleet, state: string): Promise<DeploymentStatus> {
    await waitUntil(state, async () => {
      await fleet.daemon.pass()
      fleet.nowMs += 15 * minute
      return (await fleet.status()).state === state
    })
    return fleet.status()
  }

  /** Version 2.0.0 has failed on `b`, which has an image of its own. */
  async function failedOnOne(): Promise<Fleet> {
    const fleet = await deployed(shop('1.0.0', 'a', { b: 'b' }))
    fleet.failing = 'b'
    fleet.commit(shop('2.0.0', 'd', { b: 'e' }))
    await untilIn(fleet, 'aborted')
    expect(fleet.versionOn('b')).to.equal('b')
    return fleet
  }

  it('A72 A33 goes on once a commit corrects what differs on the site where it failed', async () => {
    await using fleet = await failedOnOne()
    const run = runsOf(fleet)
    fleet.commit(shop('2.0.0', 'd', { b: 'f' }))
    await untilIn(fleet, 'done')
    expect(fleet.runs()).to.equal('d f d d -')
    expect(runsOf(fleet), 'nobody else begins anew').to.equal(run)
  })

  it('A72 A33 does not go on because something else differs elsewhere, and waits for a person who paused it', async () => {
    await using fleet = await failedOnOne()
    const before = fleet.runs()
    fleet.commit({ ...shop('2.0.0', 'd', { b: 'e' }), 'README.md': 'more' })
    await untilIn(fleet, 'aborted')
    expect(fleet.runs()).to.equal(before)
    await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop', who: 'ann' })
    fleet.commit(shop('2.0.0', 'd', { b: 'f' }))
    const { reason } = await untilIn(fleet, 'aborted')
    expect(reason).to.match(/; paused by ann, so that no other version begins$/)
    expect(fleet.runs()).to.equal(before)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await untilIn(fleet, 'done')
    expect(fleet.runs()).to.equal('d f d d -')
  })

  it('A72 a site with a version of its own counts as done as soon as it has that, and keeps it', async () => {
    await using fleet = await deployed(filesOf('1'))
    const own = {
      'environments/prod/sites/b/manifest.json': JSON.stringify({
        services: [{ name: 'shop', containers: [{ dockerTag: '7' }] }],
      }),
    }
    fleet.commit({ ...filesOf('1'), ...own })
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('1 7 1 1 -')
    await fleet.daemon.pass()
    fleet.commit({ ...filesOf('2', 'deploy-to-sites: {sites-in-parallel: 4}'), ...own })
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 7 2 2 -')
    const { batches } = await fleet.status()
    expect(batches.flatMap(({ sites }) => sites.map(({ site }) => site))).to.have.members(['a', 'c', 'd'])
  })

  it('A72 a site that gets a version of its own together with a new one for all is done in its turn', async () => {
    await using fleet = await deployed(filesOf('1'))
    const services = [{ name: 'shop', containers: [{ dockerTag: '7' }] }]
    fleet.commit({
      ...filesOf('2', 'deploy-to-sites: {sites-in-parallel: 4}'),
      'environments/prod/sites/b/manifest.json': JSON.stringify({ services }),
    })
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 7 2 2 -')
  })

  it('A72 A31 does not count a canary with a version of its own as one that has tried the new one', async () => {
    const trying = [
      'deploy-to-sites:',
      "  canary-sites: {match-site-labels: 'try or system/name = a'}",
      '  canary-healthy-time: 1m',
    ].join('\n')
    const own = {
      'environments/prod/sites/a/manifest.json': JSON.stringify({
        services: [{ name: 'shop', containers: [{ dockerTag: '7' }] }],
      }),
    }
    await using fleet = await Fleet.start({ ...filesOf('1', trying), ...own })
    await fleet.until('proving', 2)
    fleet.nowMs += minute
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('7 1 1 1 -')
    fleet.silent = 'c'
    fleet.commit({ ...filesOf('2', trying), ...own })
    const { reason } = await fleet.until('waiting', 1)
    expect(reason).to.match(/^no canary is ready: c \(the site does not answer since /)
    fleet.nowMs += 60 * minute
    await fleet.until('waiting', 1)
    expect(fleet.runs()).to.equal('7 1 1 1 -')
    // Without a version of its own, it tries the new one like any other canary.
    fleet.commit(filesOf('2', trying))
    await fleet.until('proving', 1)
    expect(fleet.runs()).to.equal('2 1 1 1 -')
    fleet.nowMs += minute
    await fleet.until('waiting', 3)
    expect(fleet.runs()).to.equal('2 2 1 2 -')
  })

  it('A72 A31 is refused if all its canaries have a version of their own, because none would try a new one', () => {
    const { turn, news } = advance({
      ...nothingBegun,
      deployment: {
        ...{ name: 'shop', application: 'shop', healthyMs: 0, revision: 'r' },
        placement: { kind: 'all-sites' },
        canary: {
          expression: { kind: 'equal', label: 'system/name', value: 'a' },
          text: 'system/name = a',
          next: { kind: 'word' },
        },
      },
      wanted: { version: '2', content: 'c' },
      apart: new Map([['a', '7']]),
      sites: names.map(name => ({ name, labels: { 'system/name': name } })),
      nowMs: 0,
    })
    expect(turn.refused?.message).to.equal(
      'the deployment shop would try no new version, because all its canaries have one of their own: a',
    )
    expect(news.map(({ is }) => is)).to.deep.equal(['placement'])
  })
})
