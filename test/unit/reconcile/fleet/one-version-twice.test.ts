import { expect } from 'chai'
import type { Files } from '../../../support/snapshot.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { Fleet, filesOf, minute } from './scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'

/** Waits until the canary has proved the version, and then until all sites have it. */
async function completes(fleet: Fleet): Promise<void> {
  await fleet.until('proving', 1)
  fleet.nowMs += minute
  await fleet.until('done', 4)
}

describe('one version with another content', () => {
  /** Version 2 of `shop`, whatever is in it. */
  const second = (mode: string): Files => ({
    ...filesOf('2', canary),
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'shop' }],
      skipConfirmation: true,
    }),
    'applications/shop.yaml': `name: shop
version: "2"
services: [{name: shop, containers: [{name: shop, image: "registry.example.com/shop:2", env: {MODE: ${mode}}}]}]
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
})
