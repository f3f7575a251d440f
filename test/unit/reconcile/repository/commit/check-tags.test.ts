import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { Problem } from '../../../../../lib/errors.ts'
import { checkTags } from '../../../../../lib/reconcile/repository/commit/check-tags.ts'
import type { ReadCommit } from '../../../../../lib/reconcile/repository/commit/commits.ts'
import { desired } from '../../../../support/builders/builders.ts'

const hour = 60 * 60_000
const pinned = desired({ name: 'web' })
const webMoved: Problem = { code: 'tag-moved', message: 'web:1 means sha256:bb by now' }

/** A commit whose tags were checked at 0, and how often they are asked for since. */
function remembered() {
  let inForce: Pick<ReadCommit, 'commit' | 'pinned' | 'tags'> = {
    ...{ commit: 'c1', pinned },
    tags: { checkedMs: 0, moved: [] },
  }
  let nowMs = 0
  const said: string[] = []
  const asked: PromiseWithResolvers<readonly Problem[]>[] = []
  const stop = new AbortController()
  const world = {
    steadyMs: () => nowMs,
    log: { warn: (words: string) => void said.push(words) },
    memory: {
      commits: {
        inForce: () => inForce,
        setInForce: (read: typeof inForce) => {
          inForce = read
        },
      },
    },
  }
  const check = () => {
    const answer = Promise.withResolvers<readonly Problem[]>()
    asked.push(answer)
    return answer.promise
  }
  return {
    ...{ asked, said, stop },
    /** What a look at this time finds. */
    look: (atMs: number) => {
      nowMs = atMs
      return checkTags(world, inForce, check, stop.signal)
    },
    comes: (commit: string) => {
      inForce = { commit, pinned: desired({ name: 'web', tag: '2' }), tags: { checkedMs: nowMs, moved: [] } }
    },
  }
}

describe('the tags of a commit', () => {
  it('G9 G21 are checked once an hour, and what is found is told from the next look on', async () => {
    const { asked, look } = remembered()
    expect([look(hour - 1), asked.length]).to.deep.equal([[], 0])
    expect([look(hour), asked.length]).to.deep.equal([[], 1])
    asked[0]?.resolve([webMoved])
    await setImmediate()
    expect([look(hour + 1), asked.length]).to.deep.equal([[webMoved], 1])
    expect([look(2 * hour), asked.length]).to.deep.equal([[webMoved], 2])
    asked[1]?.resolve([])
    await setImmediate()
    expect(look(2 * hour + 1)).to.deep.equal([])
  })

  it('G1 keep no look waiting where a registry says nothing, and are not asked for at each look then', () => {
    const { asked, look } = remembered()
    expect([look(hour), look(hour + 1), look(2 * hour - 1), asked.length]).to.deep.equal([[], [], [], 1])
  })

  it('X9 say nothing of a commit that came meanwhile', async () => {
    const { asked, look, comes } = remembered()
    look(hour)
    comes('c2')
    asked[0]?.resolve([webMoved])
    await setImmediate()
    expect(look(hour + 1)).to.deep.equal([])
  })

  it('G13 are logged where they cannot be checked, and are checked again an hour later', async () => {
    const { asked, said, look } = remembered()
    look(hour)
    asked[0]?.reject(new Error('no engine'))
    await setImmediate()
    expect(said).to.deep.equal(['nobody knows whether tags have moved: no engine'])
    expect([look(hour + 1), look(2 * hour), asked.length]).to.deep.equal([[], [], 2])
  })

  it('G12 are left alone where the process ends', async () => {
    const { asked, said, look, stop } = remembered()
    look(hour)
    stop.abort()
    asked[0]?.reject(stop.signal.reason)
    await setImmediate()
    expect(said).to.deep.equal([])
  })
})
