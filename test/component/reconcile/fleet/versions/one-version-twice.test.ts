import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'

/** Waits until the canary has proved the version, and then until all sites have it. */
async function completes(fleet: Fleet): Promise<void> {
  await fleet.until('proving', 1)
  fleet.nowMs += minute
  await fleet.until('done', 4)
}

describe('one version with another content', () => {
  /** Version 2 of `shop`, whatever is in it. */
  const second = (mode: string, { skipConfirmation = true, tag = '2', version = '2' } = {}): Files => ({
    ...filesOf('2', canary),
    'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'shop' }], skipConfirmation }),
    'applications/shop.yaml': `name: shop
version: "${version}"
services: [{name: shop, containers: [{name: shop, image: "registry.example.com/shop:${tag}", env: {MODE: ${mode}}}]}]
`,
  })
  const modes = (fleet: Fleet) =>
    ['a', 'b', 'c', 'd'].map(
      site => fleet.engines.get(site)?.done.filter(step => step.startsWith('create-')).length,
    )

  it('A33 begins anew on the canary where that version failed, because it may be the correction', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    await completes(fleet)
    fleet.failing = 'c'
    fleet.commit(second('wrong'))
    await fleet.until('aborted', 0)
    fleet.commit(second('right'))
    await fleet.until('proving', 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    fleet.nowMs += minute
    await fleet.until('done', 4)
  })

  it('A11 goes everywhere at once where that version is everywhere', async () => {
    await using fleet = await Fleet.start(second('one'))
    await completes(fleet)
    const before = modes(fleet)
    fleet.commit(second('other'))
    await waitUntil('all have it', async () => {
      await fleet.daemon.pass()
      return modes(fleet).every((count = 0, index) => count > (before[index] ?? 0))
    })
    expect((await fleet.status()).state).to.equal('done')
  })

  const atOnce = 'the version stays 2, so this goes to all 4 sites at once'

  it('A11 G7 G13 is announced by the plan, which says that no canary tries it', async () => {
    await using fleet = await Fleet.start(second('one'))
    await completes(fleet)
    fleet.commit(second('other', { skipConfirmation: false }))
    const found = await waitUntil('it waits for an approval', async () => {
      await fleet.daemon.pass()
      const [result] = fleet.daemon.results()
      return result?.waiting.length === 4 && result
    })
    expect(found.plan?.warnings).to.deep.equal([{ code: 'version-unchanged', message: `shop: ${atOnce}` }])
    const { state, reason, sites } = await fleet.status()
    expect([state, sites]).to.deep.equal(['waiting', { done: 0, now: 4, toCome: 0 }])
    expect(reason).to.match(/sites at once: waits for a \(needs an approval\), b \(needs an approval\), c /)
  })

  it('A11 A31 goes to the canary first if the application gets another version in the same commit', async () => {
    await using fleet = await Fleet.start(second('one'))
    await completes(fleet)
    fleet.commit(second('other', { version: '3', tag: '3' }))
    await fleet.until('proving', 1)
    expect(fleet.runs()).to.equal('2 2 3 2 -')
  })

  it('A11 is announced by no plan of a new version, nor of a repair', async () => {
    await using fleet = await Fleet.start(second('one'))
    expect(fleet.daemon.results().flatMap(({ plan }) => plan?.warnings ?? [])).to.deep.equal([])
    await completes(fleet)
    fleet.engines.get('a')?.lose()
    await fleet.daemon.pass()
    expect(fleet.daemon.results().flatMap(({ plan }) => plan?.warnings ?? [])).to.deep.equal([])
  })

  it('A11 G13 its deployment is not done where it fails, and names the site, the code and the sentence', async () => {
    await using fleet = await Fleet.start(second('one'))
    await completes(fleet)
    fleet.unprepared.set('a', new Failure('mount-refused', 'a: there is no /data on the host'))
    fleet.commit(second('other', { tag: '3' }))
    const { reason, left } = await fleet.until('waiting', 3)
    expect(reason).to.equal(`${atOnce}: waits for a (mount-refused: there is no /data on the host)`)
    expect(left).to.deep.equal([
      { site: 'a', version: '2', reason: 'there is no /data on the host', code: 'mount-refused' },
    ])
    fleet.unprepared.clear()
    await fleet.until('done', 4)
  })

  describe('while its deployment is paused', () => {
    async function paused(): Promise<Fleet> {
      const fleet = await Fleet.start(second('one'))
      await completes(fleet)
      await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop-everywhere' })
      return fleet
    }
    const resume = (fleet: Fleet) => fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })

    it('A11 A33 G13 waits on all sites, which the deployment says, and goes to all of them with the word that goes on', async () => {
      await using fleet = await paused()
      const before = modes(fleet)
      fleet.commit(second('other'))
      for (const _ of [1, 2]) await fleet.daemon.pass()
      expect(modes(fleet)).to.deep.equal(before)
      const { state, reason, sites, left } = await fleet.status()
      expect([state, sites]).to.deep.equal(['paused', { done: 0, now: 0, toCome: 4 }])
      expect(reason).to.match(/^paused by \S+; once it goes on, the version stays 2, so this goes to all 4/)
      expect(left.map(one => one.reason)).to.deep.equal(['paused', 'paused', 'paused', 'paused'])
      await resume(fleet)
      await waitUntil('all have it', () => modes(fleet).every((count = 0, at) => count > (before[at] ?? 0)))
      await fleet.until('done', 4)
    })

    it('A11 D9 repairs what runs, as it was before', async () => {
      await using fleet = await paused()
      fleet.commit(second('other'))
      await fleet.daemon.pass()
      const before = modes(fleet)
      fleet.engines.get('a')?.lose()
      await waitUntil('it runs again', async () => {
        await fleet.daemon.pass()
        return fleet.runs() === '2 2 2 2 -'
      })
      expect(modes(fleet)[0]).to.equal((before[0] ?? 0) + 1)
      const { left } = await fleet.until('paused', 0)
      expect(left.map(({ site }) => site)).to.deep.equal(['a', 'b', 'c', 'd'])
    })

    it('A11 G25 waits also after a restart, and begins no other run', async () => {
      await using fleet = await paused()
      const run = fleet.journal.run('prod', 'shop')
      fleet.commit(second('other'))
      await fleet.daemon.pass()
      const before = modes(fleet)
      await fleet.restart()
      await fleet.daemon.pass()
      expect([modes(fleet), fleet.journal.run('prod', 'shop')]).to.deep.equal([before, run])
      await resume(fleet)
      await waitUntil('all have it', () => modes(fleet).every((count = 0, at) => count > (before[at] ?? 0)))
    })

    it('A11 goes on where it was begun', async () => {
      await using fleet = await paused()
      await resume(fleet)
      fleet.commit(second('other'))
      await fleet.daemon.pass()
      await fleet.daemon.ask('POST /api/v1/pause', { deployment: 'shop-everywhere' })
      await fleet.until('paused', 4)
    })
  })
})
