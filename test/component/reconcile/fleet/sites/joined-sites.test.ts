import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { Fleet, filesOf, sites } from '../scene.ts'

const atOnce = filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}')

describe('a site that gets other labels after a deployment was evaluated', () => {
  it('A25 G13 says that a redeploy takes the application away, or brings it, and nothing once that is done', async () => {
    await using fleet = await Fleet.start(atOnce)
    await fleet.until('done', 4)
    expect((await fleet.status()).left).to.deep.equal([])
    await fleet.restart(
      sites.map(one =>
        one.name === 'd' || one.name === 'e'
          ? { ...one, labels: { 'system/type': one.name === 'd' ? 'control-tower' : 'edge' } }
          : one,
      ),
    )
    await fleet.daemon.pass()
    const { state, sites: counts, left } = await fleet.status()
    expect([state, counts]).to.deep.equal(['done', { done: 4, now: 0, toCome: 0 }])
    expect(left).to.deep.equal([
      {
        ...{ site: 'd', version: '1' },
        reason:
          'is not meant by its labels any more: "tallyman redeploy shop-everywhere" takes the application away',
      },
      {
        ...{ site: 'e', version: '' },
        reason:
          'is meant by its labels by now, and is not part of it yet: "tallyman redeploy shop-everywhere" decides',
      },
    ])
    const reasons = async () => {
      const [{ applications }] = await fleet.daemon.ask('GET /api/v1/environments')
      return applications.map((one: { site: string; reason: string }) => `${one.site}: ${one.reason}`)
    }
    expect(await reasons()).to.deep.equal([
      ...['a: ', 'b: ', 'c: '],
      'd: the labels of the site do not meet the deployment shop-everywhere any more: "tallyman redeploy shop-everywhere" takes it away',
    ])
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop-everywhere' })
    await fleet.until('done', 4)
    await fleet.daemon.pass()
    expect((await fleet.status()).left).to.deep.equal([])
    expect((await reasons()).filter((text: string) => text.includes('redeploy'))).to.deep.equal([])
  })
})

describe('a site that joins after a deployment was evaluated', () => {
  it('A25 is stripped of nothing: its application stays, and the plan says that a redeploy decides', async () => {
    await using fleet = await Fleet.start(atOnce)
    await fleet.until('done', 4)
    const others = sites.filter(({ name }) => name !== 'd')
    await fleet.restart(others)
    await fleet.daemon.pass()
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    await fleet.until('done', 3)
    await fleet.daemon.pass()
    await fleet.restart()
    for (const _ of [1, 2]) await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
    const onD = environment.applications.find(({ site }: { site: string }) => site === 'd')
    expect(onD.reason).to.contain('not part of the deployment shop-everywhere yet')
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    await fleet.until('done', 4)
  })

  /** Version 1 of `shop` with a variable, which the canary `c` tries first, until a person says that it is well. */
  const withVariable = (value: string): Files => ({
    ...filesOf(
      '1',
      'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}',
    ),
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'shop' }],
      skipConfirmation: true,
    }),
    'applications/shop.yaml': [
      'name: shop',
      'version: "1"',
      'services:',
      '  - name: shop',
      `    containers: [{name: shop, image: "registry.example.com/shop:1", env: {GREETING: ${value}}}]`,
    ].join('\n'),
  })

  for (const { how, values } of [
    { how: 'as it was when it began', values: ['hello'] },
    { how: 'in which a variable was changed since', values: ['hello', 'goodbye'] },
  ])
    it(`A11 A35 gets the version at once if all others have it, ${how}`, async () => {
      const [first = '', ...later] = values
      await using fleet = await Fleet.start(
        withVariable(first),
        sites.filter(({ name }) => name !== 'd'),
      )
      const { approve } = await fleet.until('waiting', 1)
      await fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
      await fleet.until('done', 3)
      for (const value of later) {
        fleet.commit(withVariable(value))
        await fleet.daemon.pass()
        await fleet.until('done', 3)
      }
      await fleet.restart()
      await fleet.daemon.pass()
      await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
      await fleet.until('done', 4)
      expect(fleet.runs()).to.equal('1 1 1 1 -')
    })
})
