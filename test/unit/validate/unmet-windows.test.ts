import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import type { Window, Windows } from '../../../lib/state/fleet/window.ts'
import { warningsOnWindows } from '../../../lib/validate/unmet-windows.ts'

const hour = 60 * 60 * 1000
const day = (name: Window['days'][number], zone = 'UTC'): Window => ({
  ...{ days: [name], startMinutes: 0, zone, durationMs: 24 * hour },
})

/** Returns what is said of a site `oslo` in a file of its own, and of `west` in the configuration. */
async function saidOf(windows: Windows): Promise<readonly string[]> {
  const sites = [
    { name: 'oslo', file: 'sites/oslo.yaml', windows },
    { name: 'west', windows },
    { name: 'east' },
  ]
  return (await warningsOnWindows(sites, 'tallyman.yaml', Date.UTC(2026, 10, 29))).map(formatProblem)
}

describe('the upgrade windows of a site', () => {
  it('A60 A61 G13 are warned of where those of provider and owner have no time in common', async () => {
    const why = 'the windows of provider and owner have no time in common (window-never-opens)'
    expect(await saidOf({ provider: [day('Monday')], owner: [day('Friday')] })).to.deep.equal([
      `sites/oslo.yaml: no upgrade window of the site oslo ever opens: ${why}`,
      `tallyman.yaml: no upgrade window of the site west ever opens: ${why}`,
    ])
  })

  it('A60 A61 may meet at any time of a week, by the clocks of two zones, or be of one party', async () => {
    expect(await saidOf({ provider: [day('Monday')], owner: [day('Friday'), day('Monday')] })).to.deep.equal(
      [],
    )
    expect(await saidOf({ provider: [day('Monday')], owner: [day('Tuesday', 'Asia/Tokyo')] })).to.deep.equal(
      [],
    )
    expect(await saidOf({ provider: [day('Monday')], owner: [] })).to.deep.equal([])
  })
})
