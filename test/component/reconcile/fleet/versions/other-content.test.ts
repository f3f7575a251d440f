import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const canary =
  'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 5m, sites-in-parallel: 1, healthy-time: 8m}'
const rolling = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 8m}'

/** Version 2 of `shop`, whose content is the tag of its image. */
function second(tag: string, strategy = canary, skipConfirmation = true): Files {
  return versioned('2', tag, strategy, skipConfirmation)
}

function versioned(version: string, tag: string, strategy = canary, skipConfirmation = true): Files {
  return {
    ...filesOf(version, strategy),
    'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'shop' }], skipConfirmation }),
    'applications/shop.yaml': `name: shop
version: "${version}"
services: [{name: shop, containers: [{name: shop, image: "registry.example.com/shop:${tag}"}]}]
`,
  }
}

/** Version 1 is everywhere, and version 2 with its first content on the canary and one other site, or on two sites. */
async function halfway(strategy = canary): Promise<Fleet> {
  const everywhere = `deploy-to-sites: {sites-in-parallel: 4}`
  const fleet = await Fleet.start(filesOf('1', everywhere))
  await fleet.until('done', 4)
  fleet.commit(second('2', strategy))
  await fleet.until('proving', 1)
  fleet.nowMs += strategy === canary ? 5 * minute : 8 * minute
  await fleet.until('proving', 2)
  return fleet
}

const withTag = (fleet: Fleet, tag: string) =>
  fleet
    .runs()
    .split(' ')
    .filter(one => one === tag).length

/** Time passes in which the daemon looks at all sites. */
async function pass(fleet: Fleet, ms = 0): Promise<void> {
  fleet.nowMs += ms
  await fleet.daemon.pass()
}

async function approve(fleet: Fleet): Promise<void> {
  const [{ waiting }] = await fleet.daemon.ask('GET /api/v1/environments')
  await fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
}

describe('one version with another content, while not all sites have the version', () => {
  it('A11 A31 A33 goes to the sites that have it, and to no other before the canary had it for its whole healthy time', async () => {
    await using fleet = await halfway()
    fleet.commit(second('2b'))
    await fleet.until('proving', 2)
    const [has, not] = [withTag(fleet, '2b'), withTag(fleet, '1')]
    expect([has, not]).to.deep.equal([2, 2])
    await pass(fleet, 5 * minute - 1)
    expect(withTag(fleet, '1')).to.equal(2)
    await pass(fleet, 1)
    await fleet.until('proving', 3)
    expect([withTag(fleet, '2b'), withTag(fleet, '1')]).to.deep.equal([3, 1])
    await pass(fleet, 8 * minute)
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('2b 2b 2b 2b -')
  })

  it('A31 A33 E22 waits with all others for as long as nobody approves it, whatever time goes by', async () => {
    await using fleet = await halfway()
    fleet.commit(second('2b', canary, false))
    for (const _ of [1, 2, 3]) await pass(fleet, 20 * minute)
    const { state, reason, sites, batches } = await fleet.status()
    expect([state, sites]).to.deep.equal(['waiting', { done: 0, now: 2, toCome: 2 }])
    expect(
      batches.map(one => [one.canary, one.otherContent, one.sites.map(({ done }) => done)]),
    ).to.deep.equal([[true, true, [false, false]]])
    expect(reason).to.match(
      /^waits for \w \(needs an approval\), \w \(needs an approval\); the version stays 2, so this goes to the 2 sites that have it at once$/,
    )
    await approve(fleet)
    await fleet.until('proving', 2)
    expect([withTag(fleet, '2b'), withTag(fleet, '1')]).to.deep.equal([2, 2])
    await pass(fleet, 5 * minute - 1)
    expect(withTag(fleet, '1')).to.equal(2)
    await pass(fleet, 1)
    await fleet.until('proving', 3)
  })

  it('A32 A33 goes to no other site before those that have it proved it, where there are no canaries', async () => {
    await using fleet = await halfway(rolling)
    fleet.commit(second('2b', rolling))
    await fleet.until('proving', 2)
    await pass(fleet, 8 * minute - 1)
    expect([withTag(fleet, '2b'), withTag(fleet, '1')]).to.deep.equal([2, 2])
    await pass(fleet, 1)
    await fleet.until('proving', 3)
  })

  it('A33 ends with its first failure on any of them, also if that is no canary', async () => {
    await using fleet = await halfway()
    const [other = ''] = ['a', 'b', 'd'].filter(site => fleet.versionOn(site) === '2')
    fleet.failing = other
    fleet.commit(second('2b'))
    const { reason } = await fleet.until('aborted', 1)
    expect(reason.startsWith(`failed on ${other}: `)).to.equal(true)
    await pass(fleet, 60 * minute)
    expect(withTag(fleet, '1')).to.equal(2)
  })

  it('A33 A34 goes to no site once it has failed, also not to one that has the version and was away then', async () => {
    await using fleet = await halfway()
    const [other = ''] = ['a', 'b', 'd'].filter(site => fleet.versionOn(site) === '2')
    fleet.silent = other
    fleet.failing = 'c'
    fleet.commit(second('2b'))
    await fleet.until('aborted', 0)
    fleet.silent = ''
    await waitUntil('it answers', async () => {
      await pass(fleet, 10 * minute)
      return (await fleet.status()).left.some(({ site, reason }) => site === other && reason === 'aborted')
    })
    await pass(fleet)
    expect([fleet.versionOn(other), withTag(fleet, '2b')]).to.deep.equal(['2', 0])
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 2)
    expect(fleet.versionOn(other)).to.equal('2b')
  })

  it('A11 A33 waits on all of them while the deployment is paused, and then goes on as if it came after the pause', async () => {
    await using fleet = await halfway()
    await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop-everywhere' })
    fleet.commit(second('2b'))
    for (const _ of [1, 2]) await pass(fleet, 10 * minute)
    expect([withTag(fleet, '2'), withTag(fleet, '1')]).to.deep.equal([2, 2])
    expect((await fleet.status()).state).to.equal('paused')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 2)
    expect([withTag(fleet, '2b'), withTag(fleet, '1')]).to.deep.equal([2, 2])
  })

  it('A31 A34 waits for a canary that does not answer, although other sites that had the version have it', async () => {
    await using fleet = await halfway()
    fleet.silent = 'c'
    await pass(fleet)
    fleet.commit(second('2b'))
    const { reason } = await fleet.until('waiting', 1)
    expect(reason).to.match(/^no canary is ready: c /)
    await pass(fleet, 60 * minute)
    expect(withTag(fleet, '1')).to.equal(2)
  })

  it('A31 A33 G25 proves it on the canary also if the daemon is started anew at each step', async () => {
    await using fleet = await halfway()
    fleet.files = second('2b')
    fleet.commit(fleet.files)
    await fleet.restart()
    await fleet.until('proving', 2)
    await fleet.restart()
    await pass(fleet, 5 * minute - 1)
    expect(withTag(fleet, '1')).to.equal(2)
    await pass(fleet, 1)
    await fleet.until('proving', 3)
  })

  it('A12 A31 is proved by the canary that comes back to it with another content after a later version', async () => {
    await using fleet = await halfway()
    fleet.failing = 'c'
    fleet.commit(versioned('3', '3'))
    await fleet.until('aborted', 0)
    fleet.commit(second('2b'))
    await fleet.until('proving', 2)
    expect([withTag(fleet, '2b'), withTag(fleet, '1')]).to.deep.equal([2, 2])
    await pass(fleet, 5 * minute - 1)
    expect(withTag(fleet, '1')).to.equal(2)
  })

  it('A12 goes on where it was if the content of before is wanted again, and touches nothing', async () => {
    await using fleet = await halfway()
    fleet.unprepared.set('c', new Failure('registry-unreachable', 'c: the registry is silent'))
    for (const site of ['a', 'b', 'd'])
      fleet.unprepared.set(site, new Failure('registry-unreachable', `${site}: the registry is silent`))
    fleet.commit(second('2b'))
    await pass(fleet)
    fleet.commit(second('2'))
    await fleet.until('proving', 2)
    expect([withTag(fleet, '2'), withTag(fleet, '1')]).to.deep.equal([2, 2])
  })
})
