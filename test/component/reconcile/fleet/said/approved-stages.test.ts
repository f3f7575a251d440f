import { expect } from 'chai'
import type { Failure } from '../../../../../lib/errors.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const byWord = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'

function approved(fleet: Fleet, id = ''): Promise<unknown> {
  return fleet.daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
}

async function refusal(fleet: Fleet, id?: string): Promise<readonly string[]> {
  const failure: Failure = await approved(fleet, id).then(
    () => expect.fail('it is approved'),
    error => error,
  )
  return [failure.code, failure.message, failure.hint ?? '']
}

describe('the sites that follow others by a person’s word', () => {
  it('A31 A34 X20 are not let follow a canary that answers again, and proves the version anew: nobody is asked then', async () => {
    const byTime = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 40m}'
    await using fleet = await Fleet.start(filesOf('1', byTime))
    await fleet.until('proving', 1)
    fleet.silent = 'c'
    const { approve: id } = await fleet.until('waiting', 0)
    fleet.silent = ''
    await fleet.until('proving', 1)
    expect(await refusal(fleet, id)).to.deep.equal([
      'plan-answered',
      `nobody is asked under ${id} now: shop-everywhere waits for no word`,
      'To see what it waits for, run "tallyman deployment shop-everywhere".',
    ])
    expect((await fleet.status()).reason).to.match(/^the last batch is healthy, and the next one follows/)
    fleet.nowMs += 39 * minute
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('- - 1 - -')
  })

  it('A31 X20 are not let follow by that id while a person holds the version at all sites', async () => {
    await using fleet = await Fleet.start(filesOf('1', byWord))
    const { approve: id } = await fleet.until('waiting', 1)
    await fleet.daemon.ask('POST /api/v1/rollback', { application: 'shop', to: '1', who: 'ann' })
    expect((await fleet.status()).approve).to.equal(undefined)
    expect(await refusal(fleet, id)).to.deep.equal([
      'plan-answered',
      `nobody is asked under ${id} now: shop-everywhere waits for no word`,
      'To see what it waits for, run "tallyman deployment shop-everywhere".',
    ])
  })

  it('A31 G13 X20 are not let follow while the deployment cannot be carried out as it is written, as nobody is asked then', async () => {
    await using fleet = await Fleet.start(filesOf('1', byWord))
    const { approve: id } = await fleet.until('waiting', 1)
    fleet.commit(filesOf('1', byWord.replace('labels: try', 'labels: no-such-label')))
    const { approve } = await fleet.until('refused', 1)
    expect(approve).to.equal(undefined)
    expect(await refusal(fleet, id)).to.deep.equal([
      'plan-answered',
      `nobody is asked under ${id} now: shop-everywhere waits for no word`,
      'To see what it waits for, run "tallyman deployment shop-everywhere".',
    ])
    fleet.commit(filesOf('1', byWord))
    expect((await fleet.until('waiting', 1)).approve).to.equal(id)
  })
})
