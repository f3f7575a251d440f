import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../../lib/cli/text/status/status-text.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 15m}'

/** A commit of a version that a person approves. */
function asked(version: string): Files {
  return filesOf(version, canary, {})
}

/** The same, in which a file of the site `b` alone is wrong. */
function withMistake(files: Files): Files {
  return { ...files, 'environments/prod/sites/b/variables.yaml': 'A: 1\nB: "2\n' }
}

async function statusOf(fleet: Fleet) {
  const [status] = await fleet.daemon.ask('GET /api/v1/environments')
  return status
}

/** Returns the id of the plan. */
async function approve(fleet: Fleet): Promise<string> {
  const { waiting } = await statusOf(fleet)
  await fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
  await fleet.daemon.pass()
  return waiting.plan
}

async function commit(fleet: Fleet, files: Files): Promise<void> {
  fleet.commit(files)
  await fleet.daemon.pass()
}

/** A fleet on which 1 runs everywhere, and 2 was approved and crashed on the canary. */
async function crashed(): Promise<Fleet> {
  const fleet = await Fleet.start(asked('1'))
  await fleet.daemon.pass()
  await approve(fleet)
  fleet.nowMs += 20 * minute
  await fleet.until('done', 4)
  fleet.failing = 'c'
  await commit(fleet, asked('2'))
  await approve(fleet)
  await fleet.until('aborted', 0)
  fleet.failing = ''
  return fleet
}

describe('what somebody approved of a deployment, once a file of one site is wrong', () => {
  it('G13 is told with the sites on which it was carried out, while the others wait', async () => {
    await using fleet = await Fleet.start(asked('1'))
    await fleet.daemon.pass()
    const id = await approve(fleet)
    await commit(fleet, withMistake(asked('1')))
    const status = await statusOf(fleet)
    const { at: _, ...approved } = status.approved
    expect(approved).to.deep.equal({ plan: id, who: 'ann', carriedOutOn: ['c'] })
    expect(printed(statusLines({ ...status, ingress: [] }, fleet.nowMs), false)).to.include(
      `\n    carried out on c; the others wait\n    to take it back there: tallyman discard ${id}\n`,
    )
  })

  it('G13 is not told of a version that failed and that another one has followed', async () => {
    await using fleet = await crashed()
    await commit(fleet, filesOf('3', canary))
    await fleet.until('proving', 1)
    fleet.nowMs += 20 * minute
    await fleet.until('done', 4)
    await commit(fleet, withMistake(filesOf('3', canary)))
    const { errors, approved } = await statusOf(fleet)
    expect(errors[0].message).to.match(/Missing closing/)
    expect(approved).to.equal(undefined)
  })

  it('G13 is not told of a version that failed and that a commit has taken back', async () => {
    await using fleet = await crashed()
    await commit(fleet, asked('1'))
    await fleet.until('done', 4)
    await commit(fleet, withMistake(asked('1')))
    const { errors, approved } = await statusOf(fleet)
    expect(errors[0].message).to.match(/Missing closing/)
    expect(approved).to.equal(undefined)
  })

  it('G13 is not told of another content under the version that is wanted', async () => {
    const second = (mode: string, more: object): Files => ({
      ...filesOf('2', canary),
      'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'shop' }], ...more }),
      'applications/shop.yaml': `name: shop
version: "2"
services: [{name: shop, containers: [{name: shop, image: "shop:2", env: {MODE: ${mode}}}]}]
`,
    })
    await using fleet = await Fleet.start(filesOf('1', canary))
    await fleet.until('proving', 1)
    fleet.nowMs += 20 * minute
    await fleet.until('done', 4)
    await commit(fleet, second('one', {}))
    await approve(fleet)
    await fleet.until('proving', 1)
    fleet.nowMs += minute
    await commit(fleet, withMistake(second('one', {})))
    expect((await statusOf(fleet)).approved.carriedOutOn).to.deep.equal(['c'])
    await commit(fleet, withMistake(second('other', { skipConfirmation: true })))
    const { errors, approved } = await statusOf(fleet)
    expect(errors[0].message).to.match(/Missing closing/)
    expect(approved).to.equal(undefined)
  })
})
