import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { manifestOf } from '../../../../support/memory/memory-daemon.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, minute, sites } from '../scene.ts'

const everywhere = 'system/type = edge'
const notOnD = 'system/type = edge and not (system/name = d)'
const nowhere = 'not system/name'
const atOnce = ''
const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'
const canary =
  'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 5m, sites-in-parallel: 4}'

/** A repository whose deployment means these sites. */
function meaning(labels: string, version = '1', strategy = atOnce, name = 'shop-everywhere'): Files {
  return {
    ...manifestOf('prod', { shop: version }, { skipConfirmation: true }),
    [`deployments/${name}.yaml`]: [
      `name: ${name}`,
      'application: shop',
      `placement: {match-site-labels: ${labels}}`,
      strategy,
    ].join('\n'),
  }
}

/** Passes and lets time go by, until a deployment is done on so many sites. */
async function untilDone(fleet: Fleet, done: number): Promise<void> {
  await waitUntil(`done on ${done}`, async () => {
    fleet.nowMs += 16 * minute
    await fleet.daemon.pass()
    const { state, sites } = await fleet.status()
    return state === 'done' && sites.done === done
  })
}

/** A fleet whose site `d` had version 1, and has lost it, because the deployment does not mean it any more. */
async function withoutD(strategy = atOnce): Promise<Fleet> {
  const fleet = await Fleet.start(meaning(everywhere, '1', strategy))
  await untilDone(fleet, 4)
  fleet.commit(meaning(notOnD, '1', strategy))
  await untilDone(fleet, 3)
  await waitUntil('d has lost it', async () => {
    await fleet.daemon.pass()
    return fleet.runs() === '1 1 1 - -'
  })
  return fleet
}

/** Nothing can be made on `d` for a reason that may go away. */
function hinderD(fleet: Fleet): void {
  fleet.unprepared.set('d', new Failure('pull-failed', 'd: the registry is silent'))
}

/** The deployment waits for `d`, and is done once that has the application. */
async function comesToD(fleet: Fleet, version = '1'): Promise<void> {
  const { reason, left, sites } = await fleet.until('progressing', 3)
  expect(reason).to.match(/^waits for d \(pull-failed: the registry is silent\)/)
  expect(sites).to.deep.equal({ done: 3, now: 1, toCome: 0 })
  expect(left).to.deep.include({
    site: 'd',
    version: '',
    reason: 'the registry is silent',
    code: 'pull-failed',
  })
  fleet.unprepared.clear()
  await untilDone(fleet, 4)
  expect(fleet.versionOn('d')).to.equal(version)
}

const canaryAndOneByOne =
  'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 5m, sites-in-parallel: 1, healthy-time: 15m}'

/**
 * A fleet on whose canary `c` the second version was tried, and which lost it then, because the deployment does not mean
 * it any more. The other canary, `d`, does not answer.
 */
async function withoutTheCanaryThatTried(
  when: 'once another one has it' | 'while it is proving' = 'once another one has it',
): Promise<Fleet> {
  const two = sites.map(one => (one.name === 'd' ? { ...one, labels: { ...one.labels, try: 'true' } } : one))
  const fleet = await Fleet.start(meaning(everywhere, '1', canaryAndOneByOne), two)
  await untilDone(fleet, 4)
  fleet.silent = 'd'
  fleet.commit(meaning(everywhere, '2', canaryAndOneByOne))
  await fleet.until('proving', 1)
  if (when === 'once another one has it') {
    fleet.nowMs += 6 * minute
    await fleet.until('proving', 2)
  }
  fleet.commit(meaning('system/type = edge and not (system/name = c)', '2', canaryAndOneByOne))
  await waitUntil('c has lost it', async () => {
    await fleet.daemon.pass()
    return fleet.versionOn('c') === '-'
  })
  return fleet
}

describe('a site that a deployment means again after it did not', () => {
  for (const strategy of [atOnce, oneByOne, canary])
    it(`A25 A35 G13 is waited for as long as it does not run the application (${strategy || 'at once'})`, async () => {
      await using fleet = await withoutD(strategy)
      hinderD(fleet)
      fleet.commit(meaning(everywhere, '1', strategy))
      await comesToD(fleet)
    })

  it('A25 G13 is so too for a daemon that is started only then', async () => {
    await using fleet = await withoutD(oneByOne)
    hinderD(fleet)
    fleet.commit(meaning(everywhere, '1', oneByOne))
    await fleet.restart()
    await comesToD(fleet)
    await fleet.restart()
    await untilDone(fleet, 4)
  })

  it('A12 A32 is drawn like any other for a version that came in between, and for the one before it', async () => {
    await using fleet = await withoutD(oneByOne)
    fleet.commit(meaning(notOnD, '2', oneByOne))
    await untilDone(fleet, 3)
    hinderD(fleet)
    fleet.commit(meaning(everywhere, '2', oneByOne))
    await comesToD(fleet, '2')
    fleet.commit(meaning(notOnD, '2', oneByOne))
    await untilDone(fleet, 3)
    fleet.commit(meaning(everywhere, '1', oneByOne))
    const { sites } = await fleet.until('proving', 1)
    expect(sites).to.deep.equal({ done: 1, now: 0, toCome: 3 })
    await untilDone(fleet, 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('A32 is to come, and is drawn, while a version goes from site to site', async () => {
    await using fleet = await Fleet.start(meaning(everywhere, '1', oneByOne))
    await untilDone(fleet, 4)
    fleet.commit(meaning(everywhere, '2', oneByOne))
    const { batches } = await fleet.until('proving', 1)
    const first = batches[0]?.sites[0]?.site ?? expect.fail('none was drawn')
    const others = `system/type = edge and not (system/name = ${first})`
    fleet.commit(meaning(others, '2', oneByOne))
    await waitUntil('it has lost it', async () => {
      await fleet.daemon.pass()
      return fleet.versionOn(first) === '-'
    })
    const { sites } = await fleet.until('proving', 1)
    expect(sites).to.deep.equal({ done: 1, now: 0, toCome: 2 })
    fleet.commit(meaning(everywhere, '2', oneByOne))
    await fleet.daemon.pass()
    expect((await fleet.status()).sites).to.deep.equal({ done: 1, now: 0, toCome: 3 })
    expect(fleet.versionOn(first)).to.equal('-')
    await untilDone(fleet, 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('A31 waits for the canaries if the deployment meant no site meanwhile: nobody has the version then', async () => {
    await using fleet = await Fleet.start(meaning(everywhere, '1', canary))
    await untilDone(fleet, 4)
    fleet.commit(meaning(nowhere, '1', canary))
    await waitUntil('all have lost it', async () => {
      await fleet.daemon.pass()
      return fleet.runs() === '- - - - -'
    })
    fleet.commit(meaning(everywhere, '1', canary))
    const { sites } = await fleet.until('proving', 1)
    expect(sites).to.deep.equal({ done: 1, now: 0, toCome: 3 })
    expect(fleet.runs()).to.equal('- - 1 - -')
    await untilDone(fleet, 4)
  })

  it('A31 waits for the canaries, too, if the deployment was deleted meanwhile', async () => {
    await using fleet = await Fleet.start(meaning(everywhere, '1', canary))
    await untilDone(fleet, 4)
    fleet.commit(manifestOf('prod', { web: '1' }, { skipConfirmation: true }))
    await waitUntil('all have lost it', async () => {
      await fleet.daemon.pass()
      return fleet.runs() === '1 1 1 1 1'
    })
    fleet.commit(meaning(everywhere, '1', canary))
    const { sites } = await fleet.until('proving', 1)
    expect(sites).to.deep.equal({ done: 1, now: 0, toCome: 3 })
    await untilDone(fleet, 4)
  })

  it('A31 A34 is tried as a canary again if it was the only one that had tried the version', async () => {
    await using fleet = await withoutTheCanaryThatTried()
    fleet.commit(meaning(everywhere, '2', canaryAndOneByOne))
    fleet.silent = ''
    await untilDone(fleet, 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
    const canaries = (await fleet.status()).batches.filter(({ canary }) => canary)
    expect(canaries.at(-1)?.sites.map(({ site }) => site)).to.have.members(['c', 'd'])
  })

  it('A31 A34 leaves the trying to the other canaries as long as it is not meant: the first that is back', async () => {
    await using fleet = await withoutTheCanaryThatTried()
    fleet.silent = ''
    await untilDone(fleet, 3)
    expect(fleet.runs()).to.equal('2 2 - 2 -')
  })

  it('A31 A34 is tried as a canary again, too, if the other one has been away since they were drawn', async () => {
    await using fleet = await withoutTheCanaryThatTried('while it is proving')
    fleet.commit(meaning(everywhere, '2', canaryAndOneByOne))
    await waitUntil('all but d have it', async () => {
      fleet.nowMs += 16 * minute
      await fleet.daemon.pass()
      return fleet.runs() === '2 2 2 1 -'
    })
  })

  it('A25 keeps what it runs if its removal waited for a confirmation, and is done again once that was seen', async () => {
    await using fleet = await Fleet.start(meaning(everywhere, '1', oneByOne), sites, 'confirm')
    await untilDone(fleet, 4)
    const had = [...(fleet.engines.get('d')?.has().containers.keys() ?? [])]
    fleet.commit(meaning(notOnD, '1', oneByOne))
    await untilDone(fleet, 3)
    fleet.commit(meaning(everywhere, '1', oneByOne))
    await untilDone(fleet, 4)
    expect([...(fleet.engines.get('d')?.has().containers.keys() ?? [])]).to.deep.equal(had)
  })

  it('D9 is something else than one on which somebody removed it by hand: that is repaired', async () => {
    await using fleet = await Fleet.start(meaning(everywhere, '1', oneByOne))
    await untilDone(fleet, 4)
    fleet.engines.get('d')?.lose()
    await fleet.daemon.pass()
    expect((await fleet.status()).state).to.equal('done')
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    expect((await fleet.status()).batches).to.have.length(4)
  })
})

describe('a deployment whose file gets another name while a version goes from site to site', () => {
  it('A25 A32 goes on with its sites as they were', async () => {
    await using fleet = await Fleet.start(meaning(everywhere, '1', oneByOne))
    await untilDone(fleet, 4)
    fleet.commit(meaning(everywhere, '2', oneByOne))
    const before = await fleet.until('proving', 1)
    fleet.commit(meaning(everywhere, '2', oneByOne, 'shop'))
    await fleet.look('a', 'b', 'c', 'd')
    const { name, state, sites, batches } = await fleet.status()
    expect([name, state, sites]).to.deep.equal(['shop', 'proving', before.sites])
    expect(batches).to.deep.equal(before.batches)
  })
})
