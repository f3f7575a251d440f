import { expect } from 'chai'
import { createLeaving } from '../../../../lib/reconcile/loop/leaving.ts'

const never = new AbortController().signal

/** Names that wait for one another until nothing ends under any of them, or for ever if nothing can be written. */
function scene(groups: readonly (readonly string[])[] = []) {
  const begun: string[] = []
  const unsettled: string[] = []
  let isFull = false
  const leaving = createLeaving(
    (environment, isEnding) => {
      if (isFull) throw new Error(`${environment} is full`)
      return groups.filter(names => names.some(isEnding))
    },
    { steadyMs: () => 0, onUnsettled: error => unsettled.push(String(error)) },
  )
  leaving.settle('prod')
  const wait = async (site: string, as: string, signal = never) => {
    await leaving.after(site, signal)
    begun.push(as)
  }
  return {
    ...{ leaving, begun, unsettled, wait },
    /** Has a loop of a site end; gives what ends it. */
    leave(site: string): () => Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      leaving.leave(site, promise)
      return async () => {
        resolve()
        await new Promise(setImmediate)
      }
    },
    setFull(now: boolean) {
      isFull = now
    },
    look: async () => {
      leaving.settle('prod')
      await new Promise(setImmediate)
    },
  }
}

describe('a site that waits for loops which still end', () => {
  it('D17 G17 waits for all loops that had its name, also if one that waited itself is told to end', async () => {
    const { leave, wait, begun } = scene()
    const endFirst = leave('east')
    const gone = new AbortController()
    const second = wait('east', 'second', gone.signal)
    gone.abort()
    await second
    const endSecond = leave('east')
    const third = wait('east', 'third')
    await endSecond()
    expect(begun).to.deep.equal(['second'])
    await endFirst()
    await third
    expect(begun).to.deep.equal(['second', 'third'])
  })

  it('A25 G17 waits for those whose names are handed on together with its own, and for no other', async () => {
    const { leave, look, wait, begun } = scene([['east', 'west', 'north']])
    const ends = [leave('east'), leave('west')]
    await look()
    const waits = ['north', 'far'].map(site => wait(site, site))
    await ends[0]?.()
    expect(begun).to.deep.equal(['far'])
    await ends[1]?.()
    await Promise.all(waits)
    expect(begun).to.deep.equal(['far', 'north'])
  })

  it('A25 G25 waits until what is on record of them could be handed on, and says why that has to be done later', async () => {
    const { leave, look, wait, begun, unsettled, setFull, leaving } = scene([['east', 'west']])
    const end = leave('east')
    await look()
    const waits = wait('west', 'west')
    setFull(true)
    await end()
    await leaving.ended()
    expect([begun, unsettled]).to.deep.equal([[], ['Error: prod is full']])
    setFull(false)
    await look()
    await waits
    expect(begun).to.deep.equal(['west'])
  })

  it('G17 G25 settles once for all of them that end while it rests, for longer the longer settling takes', async () => {
    let [nowMs, settled] = [0, 0]
    const settle = () => {
      settled += 1
      nowMs += 5
      return []
    }
    const leaving = createLeaving(settle, { steadyMs: () => nowMs, onUnsettled: () => undefined })
    leaving.settle('prod')
    const leaveAll = async (count: number) => {
      for (let number = 1; number <= count; number += 1) leaving.leave(`store-${number}`, Promise.resolve())
      await leaving.ended()
      return settled
    }
    expect(await leaveAll(1_000)).to.equal(2)
    nowMs += 50
    expect(await leaveAll(1_000)).to.equal(4)
  })
})
