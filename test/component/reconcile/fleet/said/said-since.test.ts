import { expect } from 'chai'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'
const files = (version: string) => filesOf(version, canary, {})

async function status(fleet: Fleet) {
  const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
  return environment
}

async function approve(fleet: Fleet): Promise<void> {
  const plan = await waitUntil('a plan waits', async () => {
    await fleet.daemon.pass()
    return (await status(fleet)).waiting?.plan
  })
  await fleet.daemon.ask(`POST /api/v1/plans/${plan}/approve`, {})
}

/** Version 1 is everywhere, and version 2, which was approved for all sites, has failed on the canary. */
async function failed(): Promise<Fleet> {
  const fleet = await Fleet.start(files('1'))
  await approve(fleet)
  await fleet.until('proving', 1)
  fleet.nowMs += minute
  await fleet.until('done', 4)
  fleet.failing = 'c'
  fleet.commit(files('2'))
  await approve(fleet)
  await fleet.until('aborted', 0)
  return fleet
}

describe('what a status says after a deployment has failed', () => {
  it('A33 G13 is nothing of the approval for the sites that its version does not reach any more', async () => {
    await using fleet = await failed()
    await fleet.daemon.pass()
    const { approved, waiting, errors } = await status(fleet)
    expect([approved, waiting, errors.length]).to.deep.equal([undefined, undefined, 1])
  })
})
