import { expect } from 'chai'
import fc from 'fast-check'
import { FaultyFleet, type FleetEngine } from './faulty-fleet.ts'
import { anyFleet, anyHappenings, type FleetShape, type Happening, type Timed } from './happenings.ts'

/** A fleet, and what happens to it. */
export type FleetCase = [FleetShape, readonly (Happening | Timed)[]]

/** For how long at most a smaller case is looked for. After that, the smallest so far is told with its seed. */
const shrinkMs = 120_000

/**
 * Makes so many fleets, lets things happen to each, and ends all faults. Rejects if a promise was broken, or if one does
 * not come to what is wanted; the error has the seed with which it happens again.
 */
export async function checkFleets(
  numRuns: number,
  engineOf: (site: string, stack: AsyncDisposableStack) => Promise<FleetEngine>,
  examples: readonly FleetCase[] = [],
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyFleet, anyHappenings, async (shape, happenings) => {
      await using stack = new AsyncDisposableStack()
      const fleet = stack.use(await FaultyFleet.start(shape, site => engineOf(site, stack)))
      for (const one of happenings) await fleet.happen(one)
      await fleet.settle()
      expect(fleet.promises.broken.join('\n')).to.equal('')
    }),
    { numRuns, examples: [...examples], interruptAfterTimeLimit: shrinkMs },
  )
}
