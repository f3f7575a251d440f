import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { Fleet, filesOf, rolling, sites } from '../scene.ts'

/** A version of `shop` as its specification says it, and the version that its deployment names, if it names one. */
function named(version: string, wanted?: string): Files {
  const files = filesOf(version, rolling)
  const deployment = String(files['deployments/shop-everywhere.yaml'])
  return {
    ...files,
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'shop' }],
      skipConfirmation: true,
    }),
    'applications/shop.yaml': `name: shop
version: "${version}"
services: [{name: shop, containers: [{name: shop, image: "registry.example.com/shop:${version}"}]}]
`,
    'deployments/shop-everywhere.yaml':
      wanted === undefined ? deployment : `${deployment}\napplication-version: "${wanted}"`,
  }
}

/** All sites have version 1, and two of them version 2. */
async function halfway(wanted?: string): Promise<Fleet> {
  const fleet = await Fleet.start(named('1'), sites, 'auto', true)
  await fleet.until('proving', 2)
  fleet.nowMs += 15 * 60_000
  await fleet.until('proving', 4)
  fleet.nowMs += 15 * 60_000
  await fleet.until('done', 4)
  fleet.commit(named('2', wanted))
  await fleet.until('proving', 2)
  return fleet
}

describe('a version that a deployment names, and that a later commit no longer has', () => {
  it('A12 A33 stays aborted: where it is read from makes no other version of it', async () => {
    await using fleet = await halfway('2')
    const before = fleet.runs()
    await fleet.daemon.ask('POST /api/v1/abort', { deployment: 'shop' })
    fleet.commit(named('3', '2'))
    const { version } = await fleet.until('aborted', 2)
    fleet.nowMs += 60 * 60_000
    await fleet.until('aborted', 2)
    expect([version, fleet.runs()]).to.deep.equal(['2', before])
  })

  it('A12 goes at once to the sites that left it: those that still have it prove nothing anew', async () => {
    await using fleet = await halfway()
    fleet.commit(named('2', '1'))
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })
})
