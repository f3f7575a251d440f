import { expect } from 'chai'
import { createWindowClock } from '../../../lib/fleet/window/window-clock.ts'
import type { Windows } from '../../../lib/state/fleet/window.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'

/** Windows of so many sites, no two of which are alike. */
function windowsOf(sites: number): readonly Windows[] {
  return Array.from({ length: sites }, (_, site) => ({
    provider: [{ days: [], startMinutes: 0, zone: 'UTC', durationMs: site + 1 }],
    owner: [],
  }))
}

describe('the windows of very many sites that all have their own', () => {
  it('G17 are remembered without a look at all others for each', async () => {
    const work = async (sites: number) => {
      const clock = createWindowClock(async () => ({
        windowAt: () => ({ isOpen: true }),
        closesMs: (_, atMs) => atMs + 10,
      }))
      const all = windowsOf(sites)
      await clock.load(all.map(windows => ({ windows })))
      for (const atMs of [1, 11, 21]) for (const windows of all) clock.at(windows, atMs)
    }
    expect(await growth(work, 800)).to.be.below(mostInProportion)
  })
})
