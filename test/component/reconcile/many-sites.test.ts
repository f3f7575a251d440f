import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { World } from '../../../lib/reconcile/world.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

describe('many sites', () => {
  it('G24 are not looked for again among all sites each time somebody asks for those of the environment', async () => {
    const { daemon, world } = await twoSites()
    await using _ = daemon
    await daemon.pass()
    expect(world.engines.map(({ site }) => site)).to.deep.equal(['store-0'])
    expect(world.engines).to.equal(world.engines)
  })

  it('G17 are looked at one after the other: the event loop turns between any two of them', async () => {
    await using daemon = await manySites()
    expect((await turnsOf(daemon.pass(), () => undefined)).length).to.be.at.least(many)
  })

  it('G17 have only one of them begin in each turn of the event loop, although all are told of a commit at once', async () => {
    await using daemon = await manySites()
    const began = mock.method(worldOf(daemon).memory.fleet.turns, 'onSite')
    const counts = await turnsOf(daemon.pass(), () => began.mock.callCount())
    const ofEach = counts.map((count, index) => count - (counts[index - 1] ?? 0))
    expect(counts.at(-1)).to.equal(many)
    expect(Math.max(...ofEach)).to.equal(1)
  })
})

const many = 20

/** A daemon that has made a pass over each of many sites. */
async function manySites(): Promise<MemoryDaemon> {
  const engines = Array.from({ length: many }, (_, index) =>
    memoryEngine({ site: `store-${index}`, distribution: everyImage }),
  )
  const sites = engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` }))
  const files = manifestOf('prod', { web: '1' })
  const daemon = await memoryDaemon({ environments: ['prod'], files, engines, config: { sites } })
  await daemon.pass()
  await daemon.pass()
  return daemon
}

function worldOf({ control }: MemoryDaemon): World {
  const [running] = control.running
  if (running === undefined) throw new Error('no environment')
  return running.world
}

/** Returns what something is after each turn of the event loop, until that work is done. */
async function turnsOf<T>(work: Promise<void>, seen: () => T): Promise<readonly T[]> {
  const all: T[] = []
  let isOver = false
  const over = work.then(() => {
    isOver = true
  })
  while (!isOver) {
    await turn()
    all.push(seen())
  }
  await over
  return all
}

/** A daemon whose environment is on one of its two sites. */
async function twoSites() {
  const engines = ['store-0', 'store-1'].map(site => memoryEngine({ site, distribution: everyImage }))
  const sites = [
    { name: 'store-0', endpoint: 'unix:///run/store-0.sock', environments: ['prod'] },
    { name: 'store-1', endpoint: 'unix:///run/store-1.sock', environments: ['test'] },
  ]
  const files = manifestOf('prod', { web: '1' })
  const daemon = await memoryDaemon({ environments: ['prod'], files, engines, config: { sites } })
  return { daemon, world: worldOf(daemon) }
}
