import { expect } from 'chai'
import fc from 'fast-check'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const act = fc.oneof(
  fc.constant('begin' as const),
  fc.constant('look' as const),
  fc.record({ ends: fc.nat(5) }),
)

describe('what is followed, however passes begin and end', () => {
  it('G25 hands out each pass that ends once, and none that had ended before', () => {
    fc.assert(
      fc.property(fc.array(act), fc.array(act), (before, after) => {
        const journal = memoryJournal()
        const running: number[] = []
        const ended: number[] = []
        const told: number[] = []
        const run = (acts: typeof before, look: () => void) => {
          for (const [atMs, one] of acts.entries()) {
            if (one === 'look') look()
            else if (one === 'begin')
              running.push(
                journal.beginPass({ environment: 'prod', site: `s${atMs}`, trigger: 'poll', atMs }),
              )
            else
              for (const pass of running.splice(one.ends, 1)) {
                journal.endPass(pass, { outcome: 'applied', sync: 'Synced', atMs })
                ended.push(pass)
              }
          }
        }
        run(before, () => undefined)
        ended.length = 0
        const follower = journal.followLog({ limit: 3 })
        const look = () => void told.push(...follower.ended().map(({ passId }) => passId))
        run(after, look)
        look()
        expect(told.toSorted()).to.deep.equal(ended.toSorted())
      }),
    )
  })
})
