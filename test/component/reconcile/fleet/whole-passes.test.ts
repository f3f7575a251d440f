import { expect } from 'chai'
import fc from 'fast-check'
import { engineInMemory } from '../../../support/fleet/engine-in-memory.ts'
import { FaultyFleet } from '../../../support/fleet/faulty-fleet.ts'
import {
  anyFleet,
  anyHappenings,
  type FleetShape,
  type Happening,
  type Timed,
} from '../../../support/fleet/happenings.ts'

/** Just before a window ends, an upgrade was said to begin, and nothing of it was done. */
const killedBeforeTheFirstStep: [FleetShape, (Happening | Timed)[]] = [
  {
    sites: [
      { isEdge: true, window: { fromHour: 16, hours: 9 } },
      { isEdge: false, window: undefined },
    ],
    ...{ canaries: 0, byWord: false, parallel: 1, seed: 0 },
  },
  [
    { what: 'passes' },
    { afterSteps: 0, happening: { what: 'kill' } },
    { what: 'commit', version: '4' },
    { what: 'time passes', minutes: 60 },
  ],
]

describe('whole passes over any fleet', () => {
  it('A20 A31 A32 A33 A42 A60 G25 keep every promise whatever happens, and reach what is wanted once faults end', async () => {
    await fc.assert(
      fc.asyncProperty(anyFleet, anyHappenings, async (shape, happenings) => {
        await using fleet = await FaultyFleet.start(shape, engineInMemory)
        for (const one of happenings) await fleet.happen(one)
        await fleet.settle()
        expect(fleet.promises.broken.join('\n')).to.equal('')
      }),
      // The same fleets each time; other seeds find others.
      { numRuns: 20, seed: 1, examples: [killedBeforeTheFirstStep] },
    )
  })
})
