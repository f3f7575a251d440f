import { expect } from 'chai'
import fc from 'fast-check'
import { engineOverHttp } from '../../support/fleet/engine-over-http.ts'
import { FaultyFleet } from '../../support/fleet/faulty-fleet.ts'
import { anyFleet, anyHappenings, upgradeFrom } from '../../support/fleet/happenings.ts'
import { simulatedRegistry } from '../../support/simulated/registry.ts'

describe('any fleet of engines over HTTP', () => {
  it('A20 A31 A32 A33 A42 A60 G25 is brought to what is wanted without breaking a promise, whatever happens', async () => {
    const registry = simulatedRegistry()
    for (const version of Object.keys(upgradeFrom)) registry.push('web', version)
    await fc.assert(
      fc.asyncProperty(anyFleet, anyHappenings, async (shape, happenings) => {
        await using stack = new AsyncDisposableStack()
        const engineOf = (site: string) => engineOverHttp(site, registry, stack)
        const fleet = stack.use(await FaultyFleet.start(shape, engineOf))
        for (const one of happenings) await fleet.happen(one)
        await fleet.settle()
        expect(fleet.promises.broken.join('\n')).to.equal('')
      }),
      // The same fleets each time; other seeds find others.
      { numRuns: 3, seed: 1 },
    )
  })
})
