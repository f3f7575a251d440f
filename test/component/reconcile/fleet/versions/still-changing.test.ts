import { expect } from 'chai'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, names } from '../scene.ts'

const one = 'deploy-to-sites: {sites-in-parallel: 1}'
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'

/** A fleet with version 1, of which one site has begun version 2, and nobody knows how that ends. */
async function changing(): Promise<{ readonly fleet: Fleet; readonly site: string }> {
  const fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
  await fleet.until('done', 4)
  fleet.isPausing = true
  fleet.commit(filesOf('2', one))
  await fleet.look()
  await waitUntil('a site is getting it', () => fleet.paused !== undefined)
  return { fleet, site: fleet.paused?.site ?? '' }
}

describe('a version that is committed while a site still gets the one before', () => {
  for (const [what, strategy] of Object.entries({ 'a first batch': one, canaries: canary }))
    it(`A32 A12 G13 is begun by ${what} once that has come to its end, and the deployment says so meanwhile`, async () => {
      const { fleet, site } = await changing()
      await using _ = fleet
      fleet.commit(filesOf('3', strategy))
      await waitUntil('the deployment is of version 3', async () => {
        await fleet.look()
        return (await fleet.status()).version === '3'
      })
      const { state, reason, batches } = await fleet.status()
      expect([state, reason, batches]).to.deep.equal([
        'progressing',
        `waits for ${site}: what was begun there before comes to its end first`,
        [],
      ])
      expect(names.filter(name => fleet.versionOn(name) === '3')).to.deep.equal([])
      fleet.paused?.letGo.resolve()
      await waitUntil('a batch is drawn', async () => {
        await fleet.daemon.pass()
        return (await fleet.status()).batches.length > 0
      })
    })

  it('A32 A34 G12 waits for no site that does not answer any more', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    fleet.isVanishing = true
    fleet.commit(filesOf('2', one))
    await waitUntil('a site that was getting it falls silent', async () => {
      await fleet.daemon.pass()
      return fleet.silent !== ''
    })
    fleet.commit(filesOf('3', one))
    await waitUntil('a batch is drawn', async () => {
      await fleet.daemon.pass()
      const { version, batches } = await fleet.status()
      return version === '3' && batches.length > 0
    })
  })

  it('A32 D18 G12 waits for no site where a pass has found that what was there before cannot be put back now', async () => {
    const { fleet, site } = await changing()
    await using _ = fleet
    fleet.paused = undefined
    fleet.ailing = site
    fleet.commit(filesOf('3', one))
    await fleet.restart()
    await waitUntil('a batch is drawn', async () => {
      await fleet.daemon.pass()
      const { version, batches } = await fleet.status()
      return version === '3' && batches.length > 0
    })
  })
})
