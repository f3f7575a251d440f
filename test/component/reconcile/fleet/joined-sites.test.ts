import { expect } from 'chai'
import { Fleet, filesOf, sites } from './scene.ts'

const atOnce = filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}')

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
})
