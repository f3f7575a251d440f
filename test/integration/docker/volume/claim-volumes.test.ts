import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createEngineClaims } from '../../../../lib/writer/engine-claims.ts'
import { claimName, claimOn } from '../../../../lib/writer/on-engine/claim.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

const pace = { lookMs: 1e9, waitMs: 1e9 }

forEachEngine('the volumes of claims', engine => {
  const it = sideBySide()

  it('D17 are created by one of several at the same time, whose labels all of them get back', async () => {
    await using site = await testSite(engine)
    const { claims } = site.engine
    const claim = randomUUID()
    const labels = ['a', 'b', 'c', 'd'].map(who => ({ 'tallyman.claim': claim, 'tallyman.claim.who': who }))
    const name = `tallyman-claim-${claim}-1`
    const made = await Promise.all(labels.map(own => claims.create(name, own, site.signal)))
    const first = made[0]?.labels
    expect(labels).to.deep.include(first)
    expect(made.map(one => one.labels)).to.deep.equal([first, first, first, first])
    expect((await claims.create(name, {}, site.signal)).labels).to.deep.equal(first)
    const listed = await claims.list(claim, site.signal)
    expect(listed.map(one => [one.name, one.labels])).to.deep.equal([[name, first]])
    expect(Number.isNaN(Date.parse(listed[0]?.createdAt ?? ''))).to.equal(false)
    expect(await claims.list(randomUUID(), site.signal)).to.deep.equal([])
    for (const _ of ['once', 'again']) await claims.remove(name, site.signal)
    expect(await claims.list(claim, site.signal)).to.deep.equal([])
  })

  it('D17 G10 are no volumes of an environment, and name none', async () => {
    await using site = await testSite(engine)
    const { provenance, signal } = site
    const here = machine('a')
    await here.take(site)
    const { environment } = provenance
    expect((await site.engine.resources(provenance, signal)).volumes).to.deep.equal([])
    const holders = await site.engine.holders(signal)
    expect(holders.filter(holder => holder.environment === environment)).to.deep.equal([])
    await here.claims.release()
    expect(await site.engine.claims.list(claimOn(provenance), signal)).to.deep.equal([])
  })

  it('D17 hold for one of two machines that begin at the same time, and for the other at once after its end', async () => {
    await using site = await testSite(engine)
    const machines = [machine('a'), machine('b')]
    const taken = await Promise.all(machines.map(one => one.take(site)))
    expect([...taken].sort()).to.deep.equal(['ours', 'theirs'])
    const [first, second] = taken[0] === 'ours' ? machines : [...machines].reverse()
    await first?.claims.release()
    expect(await second?.take(site)).to.equal('ours')
    await second?.claims.release()
    expect(await site.engine.claims.list(claimOn(site.provenance), site.signal)).to.deep.equal([])
  })

  it('D17 are taken over after a minute without an answer, and nothing of the dead one is left', async () => {
    await using site = await testSite(engine)
    const [killed, next] = [machine('a'), machine('b')]
    await killed.take(site)
    expect(await next.take(site)).to.equal('theirs')
    next.pass(60_000)
    expect(await next.take(site)).to.equal('ours')
    const claim = claimOn(site.provenance)
    const names = (await site.engine.claims.list(claim, site.signal)).map(({ name }) => name)
    expect(names).to.deep.equal([claimName(claim, 2)])
    killed.pass(60_000)
    expect((await failureOf(killed.secure(site))).code).to.equal('another-writer')
    await next.claims.release()
  })

  it('D17 are made again after they were removed by hand', async () => {
    await using site = await testSite(engine)
    const here = machine('a')
    await here.take(site)
    const claim = claimOn(site.provenance)
    await engineCall(site.socket, 'DELETE', `/volumes/${claimName(claim, 1)}`)
    here.pass(11_000)
    await here.secure(site)
    expect((await site.engine.claims.list(claim, site.signal)).length).to.equal(1)
    await here.claims.release()
  })

  it('D17 are not taken for claims if somebody else made them', async () => {
    await using site = await testSite(engine)
    const name = claimName(claimOn(site.provenance), 1)
    await site.foreign('/volumes/create', { Name: name })
    const { code, message } = await failureOf(machine('a').take(site))
    expect(code).to.equal('name-taken')
    expect(message).to.include(name)
    await engineCall(site.socket, 'DELETE', `/volumes/${name}`)
  })
})

/** A process on a machine of its own, and the clock that it goes by. */
function machine(name: string) {
  let ms = 1_000_000
  const me = { id: randomUUID(), machine: randomUUID(), who: `pid 1 on ${name}` }
  const claims = createEngineClaims({ me, pace, sinceBootMs: () => ms, random: () => 1 })
  let keeper: ReturnType<typeof claims.keep> | undefined
  const kept = (site: TestSite) => {
    keeper ??= claims.keep(site.engine, site.provenance, { onNews: () => undefined, onMark: () => undefined })
    return keeper
  }
  return {
    claims,
    take: async (site: TestSite) => (await kept(site).take(false, site.signal)).is,
    secure: (site: TestSite) => kept(site).secure(),
    pass: (byMs: number) => {
      ms += byMs
    },
  }
}
