import { engineInMemory } from '../../../support/fleet/engine-in-memory.ts'
import { checkFleets, type FleetCase } from '../../../support/fleet/whole-passes.ts'

/** Just before a window ends, an upgrade was said to begin, and nothing of it was done. */
const killedBeforeTheFirstStep: FleetCase = [
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
    { what: 'commit', version: '4', content: 'first' },
    { what: 'time passes', minutes: 60 },
  ],
]

describe('whole passes over any fleet', () => {
  it('A11 A20 A25 A31 A32 A33 A42 A60 A66 G25 keep every promise whatever happens, and reach what is wanted once faults end', () =>
    checkFleets(15, engineInMemory, [killedBeforeTheFirstStep]))
})
