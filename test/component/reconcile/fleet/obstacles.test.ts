import { expect } from 'chai'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from './scene.ts'

const atOnce = 'deploy-to-sites: {sites-in-parallel: 4}'
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: tyr}, canary-healthy-time: 1m}'

/** Version 1 is everywhere. */
async function everywhere(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', atOnce))
  await fleet.until('done', 4)
  fleet.nowMs += minute
  return fleet
}

describe('a deployment that is not carried out as it is written', () => {
  it('G13 A31 is refused, and says why, since when and what to do', async () => {
    await using fleet = await everywhere()
    fleet.commit(filesOf('2', canary))
    const { left, ...told } = await fleet.until('refused', 0)
    expect(told).to.deep.equal({
      name: 'shop-everywhere',
      application: 'shop',
      version: '2',
      state: 'refused',
      reason: 'the deployment shop-everywhere has no canary: none of its 4 sites matches "tyr"',
      since: '1970-01-01T00:17:40.000Z',
      hint: 'Correct its label expressions, or the labels of the sites in the configuration.',
      sites: { done: 0, now: 0, toCome: 4 },
      batches: [],
    })
    expect(left[0]).to.deep.equal({ site: 'a', version: '1', reason: 'refused' })
    fleet.commit(filesOf('2', canary.replace('tyr', 'try')))
    await fleet.until('proving', 1)
  })

  it('G13 is refused from the beginning, too', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    const { version, left } = await fleet.until('refused', 0)
    expect([version, left]).to.deep.equal(['1', []])
  })

  it('G13 A10 waits for a version that there is not', async () => {
    await using fleet = await everywhere()
    fleet.commit(filesOf('2', `application-version: "7"\n${atOnce}`))
    const { version, reason, since } = await fleet.until('waiting', 0)
    expect([version, since]).to.deep.equal(['7', '1970-01-01T00:17:40.000Z'])
    expect(reason).to.match(/^shop: there is no version 7/)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('G13 D5 waits while an image of the version cannot be resolved, and is not done with the version before', async () => {
    await using fleet = await everywhere()
    fleet.unresolved = ':2'
    fleet.commit(filesOf('2', atOnce))
    const { version, reason, since } = await fleet.until('waiting', 0)
    expect([version, since]).to.deep.equal(['2', '1970-01-01T00:17:40.000Z'])
    expect(reason).to.equal('the registry is silent; no other site that was asked reached the registry')
    fleet.unresolved = ''
    await fleet.until('done', 4)
  })

  it('G13 D5 waits while an image of the version was not pushed yet, says so and goes on by itself', async () => {
    await using fleet = await everywhere()
    fleet.missing = ':2'
    fleet.commit(filesOf('2', atOnce))
    const { version, reason, left } = await fleet.until('waiting', 0)
    expect([version, left[0]?.version]).to.deep.equal(['2', '1'])
    expect(reason).to.match(/manifest unknown$/)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    fleet.missing = ''
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('G13 D5 is done while the image of what all its sites run cannot be resolved, and nobody knows it any more', async () => {
    await using fleet = await everywhere()
    fleet.unresolved = ':1'
    fleet.commit({ ...filesOf('1', atOnce), 'README.md': 'more' })
    await fleet.loseJournal()
    await fleet.daemon.pass()
    const { state, version } = await fleet.status()
    expect([state, version]).to.deep.equal(['done', '1'])
  })

  it('A31 D5 a version whose image could not be resolved begins with the canaries like any other', async () => {
    await using fleet = await everywhere()
    fleet.unresolved = ':2'
    fleet.commit(filesOf('2', canary.replace('tyr', 'try')))
    await fleet.until('waiting', 0)
    fleet.unresolved = ''
    await fleet.until('proving', 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
  })

  it('G13 D15 is blocked while it cannot be read, and its sites are not forgotten meanwhile', async () => {
    await using fleet = await everywhere()
    const files = filesOf('2', atOnce)
    const text = String(files['deployments/shop-everywhere.yaml'])
    fleet.commit({ ...files, 'deployments/shop-everywhere.yaml': `${text}\nwindow: always` })
    const { reason } = await fleet.until('blocked', 0)
    expect(reason).to.equal('deployments/shop-everywhere.yaml:5:1: /window is not a known key')
    fleet.commit({ ...files, 'deployments/shop-everywhere.yaml': text.replace('= edge', '= egde') })
    const refused = await fleet.until('refused', 0)
    expect(refused.reason).to.match(/means no site, and/)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    fleet.commit(files)
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('is no longer told of once it is gone, also if no daemon ran meanwhile', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await fleet.until('refused', 0)
    const { 'deployments/shop-everywhere.yaml': _, ...files } = filesOf('1')
    fleet.files = files
    await fleet.restart()
    await waitUntil('it is gone', async () => {
      await fleet.daemon.pass()
      const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
      return environment.deployments === undefined
    })
  })

  it('G4 G13 removes nothing if its environment is deleted, and says that it stays', async () => {
    await using fleet = await everywhere()
    const moved = Object.entries(filesOf('1', atOnce)).map(([path, text]) => [
      path.replace('/prod/', '/test/'),
      text,
    ])
    fleet.commit(Object.fromEntries(moved))
    await fleet.daemon.pass()
    const [{ errors, applications }] = await fleet.daemon.ask('GET /api/v1/environments')
    expect(errors[0].code).to.equal('environment-not-found')
    expect(errors[0].hint).to.contain('What runs of an environment that was deleted stays.')
    expect([fleet.runs(), applications.length]).to.deep.equal(['1 1 1 1 -', 4])
  })

  it('A34 G13 says of a site that does not answer since when, and not that it waits for its turn', async () => {
    await using fleet = await everywhere()
    fleet.silent = 'b'
    await waitUntil('it is silent', async () => {
      await fleet.daemon.pass()
      const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
      return environment.unreachable?.length === 1
    })
    fleet.commit(filesOf('2', atOnce))
    const { reason, since, left } = await fleet.until('waiting', 3)
    expect(since, 'the last of the others had it').to.equal('1970-01-01T00:17:40.000Z')
    expect(reason).to.equal(
      'all sites have it but b (the site does not answer since 1970-01-01T00:17:40.000Z)',
    )
    expect(left).to.deep.equal([
      { site: 'b', version: '1', reason: 'the site does not answer', since: '1970-01-01T00:17:40.000Z' },
    ])
  })
})
