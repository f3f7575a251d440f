import { engineOverHttp } from '../../../support/fleet/engine-over-http.ts'
import { upgradeFrom } from '../../../support/fleet/happenings.ts'
import { checkFleets } from '../../../support/fleet/whole-passes.ts'
import { simulatedRegistry } from '../../../support/simulated/image/registry.ts'

describe('any fleet of engines over HTTP', () => {
  it('A11 A20 A25 A31 A32 A33 A42 A60 A66 G25 is brought to what is wanted without breaking a promise, whatever happens', () => {
    const registry = simulatedRegistry()
    for (const version of Object.keys(upgradeFrom)) registry.push('web', version)
    return checkFleets(2, (site, stack) => engineOverHttp(site, registry, stack))
  })
})
