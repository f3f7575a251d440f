import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createPool, type PoolLimits } from '../../../../lib/reconcile/concurrency/pool.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const hourMs = 3_600_000

/** Work that begins when there is a place for it, and ends when it is told to. */
function work(limits: Partial<PoolLimits>) {
  const usual = { most: 2, perSite: 2, patienceMs: hourMs, slow: 1 }
  const pool = createPool(Object.setPrototypeOf(limits, usual))
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    /** Asks for a place for `east 1`. */
    ask(name: string) {
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      const site = name.split(' ')[0] ?? ''
      return pool(site, () => {
        begun.push(name)
        return promise
      })
    },
    async end(name: string) {
      ends.get(name)?.()
      await turn()
    },
  }
}

describe('the places for the work of all sites', () => {
  it('G17 are as many as there are, and each is taken by the next one when it is free', async () => {
    const { ask, end, begun } = work({})
    const all = ['east', 'west', 'north'].map(ask)
    await turn()
    expect(begun).to.deep.equal(['east', 'west'])
    await end('west')
    expect(begun).to.deep.equal(['east', 'west', 'north'])
    await Promise.all(['east', 'north'].map(end))
    await Promise.all(all)
  })

  it('G17 are taken in turns: a site with much to do does not keep the others waiting', async () => {
    const { ask, end, begun } = work({ most: 1 })
    const all = ['east 1', 'east 2', 'east 3', 'west 1', 'north 1'].map(ask)
    await turn()
    for (const name of ['east 1', 'west 1', 'north 1', 'east 2']) await end(name)
    expect(begun).to.deep.equal(['east 1', 'west 1', 'north 1', 'east 2', 'east 3'])
    await end('east 3')
    await Promise.all(all)
  })

  it('G17 are not all taken by one site', async () => {
    const { ask, end, begun } = work({ most: 3 })
    const all = ['east 1', 'east 2', 'east 3', 'west 1'].map(ask)
    await turn()
    expect(begun).to.deep.equal(['east 1', 'east 2', 'west 1'])
    await end('east 1')
    expect(begun.at(-1)).to.equal('east 3')
    for (const name of ['east 2', 'east 3', 'west 1']) await end(name)
    await Promise.all(all)
  })

  it('G17 are given up by work that takes too long, and its site has only few places until it is quick again', async () => {
    const { ask, end, begun } = work({ patienceMs: 1 })
    const all = ['east 1', 'west 1', 'north 1'].map(ask)
    await waitUntil('the third begins', () => begun.includes('north 1'))
    all.push(...['east 2', 'south 1'].map(ask))
    await waitUntil('the fourth begins', () => begun.includes('south 1'))
    expect(begun, 'the only place for slow sites is taken').not.to.include('east 2')
    for (const name of ['east 1', 'west 1', 'north 1', 'south 1']) await end(name)
    await waitUntil('the slow one begins', () => begun.includes('east 2'))
    await end('east 2')
    await Promise.all(all)
  })

  it('G17 of slow sites are taken by a site whose last work was late, and leave the others to those that are quick', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const { ask, end, begun } = work({ most: 1, patienceMs: 1_000 })
    const all = [ask('east 1')]
    await turn()
    mock.timers.tick(1_000)
    mock.timers.reset()
    await end('east 1')
    all.push(...['north 1', 'east 2'].map(ask))
    await turn()
    expect(begun).to.deep.equal(['east 1', 'north 1', 'east 2'])
    for (const name of ['north 1', 'east 2']) await end(name)
    await Promise.all(all)
  })

  it('G17 are few for work that has just begun, and as many as there are for work that takes longer', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const { ask, end, begun } = work({ most: 4, young: { most: 2, ms: 100 } })
    const all = ['east', 'west', 'north', 'south', 'middle', 'outside'].map(ask)
    await turn()
    expect(begun).to.deep.equal(['east', 'west'])
    await end('east')
    expect(begun, 'what ends is not young any more').to.deep.equal(['east', 'west', 'north'])
    mock.timers.tick(99)
    await turn()
    expect(begun).to.deep.equal(['east', 'west', 'north'])
    mock.timers.tick(1)
    await turn()
    expect(begun).to.deep.equal(['east', 'west', 'north', 'south', 'middle'])
    mock.timers.tick(100)
    mock.timers.reset()
    await turn()
    expect(begun, 'four are under way').not.to.include('outside')
    await end('west')
    expect(begun).to.include('outside')
    for (const name of ['north', 'south', 'middle', 'outside']) await end(name)
    await Promise.all(all)
  })

  it('G17 are not kept from the others by slow work that has just begun', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const { ask, end, begun } = work({ patienceMs: 1_000, young: { most: 1, ms: 100 } })
    const all = [ask('east 1')]
    await turn()
    mock.timers.tick(1_000)
    mock.timers.reset()
    await end('east 1')
    all.push(...['north 1', 'east 2', 'east 3'].map(ask))
    await turn()
    await end('north 1')
    all.push(ask('north 2'))
    await turn()
    expect(begun).to.deep.equal(['east 1', 'north 1', 'east 2', 'north 2'])
    for (const name of ['east 2', 'north 2', 'east 3']) await end(name)
    await Promise.all(all)
  })

  it('G17 are as many as the limit says when one may be free', async () => {
    const limits = { most: 1, perSite: 2, patienceMs: hourMs, slow: 1 }
    const { ask, end, begun } = work(limits)
    const all = ['east', 'west', 'north'].map(ask)
    await turn()
    expect(begun).to.deep.equal(['east'])
    limits.most = 2
    await end('east')
    expect(begun).to.deep.equal(['east', 'west', 'north'])
    for (const name of ['west', 'north']) await end(name)
    await Promise.all(all)
  })

  it('G17 are free again after work that fails', async () => {
    const pool = createPool({ most: 1, perSite: 1, patienceMs: hourMs, slow: 1 })
    const failed = await pool('east', () => Promise.reject(new Error('no answer'))).catch(String)
    expect([failed, await pool('east', async () => 'done')]).to.deep.equal(['Error: no answer', 'done'])
  })
})
