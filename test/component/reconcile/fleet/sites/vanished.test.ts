import { expect } from 'chai'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, names } from '../scene.ts'

const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'
const all = 'deploy-to-sites: {sites-in-parallel: 4}'

/** A fleet in which version 2 has just reached one site, and which site that is. */
async function provingOnOne(): Promise<{ readonly fleet: Fleet; readonly first: string }> {
  const fleet = await Fleet.start(filesOf('1', all))
  await fleet.until('done', 4)
  fleet.commit(filesOf('2', oneByOne))
  await fleet.until('proving', 1)
  return { fleet, first: names.find(name => fleet.versionOn(name) === '2') ?? expect.fail('none has it') }
}

async function pass(fleet: Fleet, ms: number): Promise<void> {
  fleet.nowMs += ms
  await fleet.daemon.pass()
}

const withVersion = (fleet: Fleet) => names.filter(name => fleet.versionOn(name) === '2')

describe('a batch whose sites have gone away', () => {
  it('A34 G13 is followed by no other until one is back and was healthy for the whole time, and is not done meanwhile', async () => {
    const { fleet, first } = await provingOnOne()
    await using _ = fleet
    fleet.silent = first
    await pass(fleet, 4 * minute)
    await pass(fleet, 50 * minute)
    await fleet.restart()
    await pass(fleet, 50 * minute)
    const { state, reason, sites, left } = await fleet.until('waiting', 0)
    expect(withVersion(fleet)).to.deep.equal([first])
    expect([state, reason.slice(0, reason.indexOf(' since'))]).to.deep.equal([
      'waiting',
      `nobody has seen the last batch healthy, so none follows until a site of it is back, unless a person lets the others follow: ${first} (the site does not answer`,
    ])
    expect(sites).to.deep.equal({ done: 0, now: 0, toCome: 3, silent: 1 })
    expect(left.find(({ site }) => site === first)).to.include({
      version: '2',
      reason: 'the site does not answer',
    })
    fleet.silent = ''
    await waitUntil('it is proving', async () => {
      await pass(fleet, 10 * minute)
      return (await fleet.status()).state === 'proving'
    })
    await pass(fleet, 15 * minute - 1)
    expect(withVersion(fleet)).to.deep.equal([first])
    await pass(fleet, 1)
    await fleet.until('proving', 2)
  })

  it('A34 holds the next one also if nobody has noticed before the end of the healthy time', async () => {
    const { fleet, first } = await provingOnOne()
    await using _ = fleet
    fleet.silent = first
    await pass(fleet, 15 * minute)
    await fleet.until('waiting', 0)
    expect(withVersion(fleet)).to.deep.equal([first])
  })

  it('A34 X20 is followed if a person lets the others follow, by an id that is asked about once', async () => {
    const { fleet, first } = await provingOnOne()
    await using _ = fleet
    fleet.silent = first
    await pass(fleet, 4 * minute)
    const { approve } = await fleet.until('waiting', 0)
    const word = () => fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
    await word()
    await fleet.until('proving', 1)
    expect(withVersion(fleet)).to.have.length(2)
    const again = await word().catch((error: Error) => error.message)
    expect(again).to.match(/waits for no word/)
  })

  it('A34 holds the next one also where its site was only getting the version, which is finished on return', async () => {
    await using fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.isVanishing = true
    fleet.commit(filesOf('2', oneByOne))
    const { reason } = await fleet.until('waiting', 0)
    expect(reason).to.match(/^nobody has seen the last batch healthy/)
    const [gone] = [fleet.silent]
    await pass(fleet, 60 * minute)
    await fleet.restart()
    await pass(fleet, 60 * minute)
    await fleet.until('waiting', 0)
    expect(fleet.runs().replaceAll('1+2', '2').split(' ').sort()).to.deep.equal(['-', '1', '1', '1', '2'])
    fleet.silent = ''
    await waitUntil('it is proving', async () => {
      await pass(fleet, minute)
      return (await fleet.status()).state === 'proving'
    })
    expect(withVersion(fleet)).to.deep.equal([gone])
  })

  it('A33 A34 ends the deployment if its site comes back and fails', async () => {
    const { fleet, first } = await provingOnOne()
    await using _ = fleet
    fleet.silent = first
    await pass(fleet, 4 * minute)
    await fleet.until('waiting', 0)
    fleet.crash(first)
    fleet.silent = ''
    await waitUntil('it is ended', async () => {
      await pass(fleet, 10 * minute)
      return (await fleet.status()).state === 'aborted'
    })
    expect(withVersion(fleet).filter(site => site !== first)).to.deep.equal([])
  })
})

describe('a site that goes away in its batch, while others of it stay', () => {
  it('A33 A34 ends the deployment if it fails when it comes back, although another batch has its turn', async () => {
    await using fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.isVanishing = true
    fleet.commit(filesOf('2', 'deploy-to-sites: {sites-in-parallel: 2, healthy-time: 15m}'))
    await fleet.until('proving', 1)
    const gone = fleet.silent
    await pass(fleet, 15 * minute)
    await fleet.until('proving', 3)
    fleet.failing = gone
    fleet.silent = ''
    await waitUntil('it is ended', async () => {
      await pass(fleet, minute)
      return (await fleet.status()).state === 'aborted'
    })
    expect((await fleet.status()).reason).to.match(new RegExp(`^failed on ${gone}: `))
  })

  it('A34 G13 leaves it to them to prove the version, which `status` says, and is done on return', async () => {
    await using fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', 'deploy-to-sites: {sites-in-parallel: 2, healthy-time: 15m}'))
    await fleet.until('proving', 2)
    const [gone = ''] = withVersion(fleet)
    fleet.silent = gone
    await pass(fleet, minute)
    const { reason } = await fleet.until('proving', 1)
    expect(reason.slice(0, reason.indexOf(' since'))).to.equal(
      `the sites of the last batch that have it are healthy, and the next one follows if they stay so; not among them: ${gone} (the site does not answer`,
    )
    await pass(fleet, 15 * minute)
    await fleet.until('proving', 3)
    fleet.nowMs += 15 * minute
    const { reason: last } = await fleet.until('waiting', 3)
    expect(last).to.match(new RegExp(`^all sites have it but ${gone} \\(the site does not answer since`))
    fleet.silent = ''
    await waitUntil('it is done', async () => {
      await pass(fleet, 10 * minute)
      return (await fleet.status()).state === 'done'
    })
    expect((await fleet.status()).sites.done).to.equal(4)
  })
})
