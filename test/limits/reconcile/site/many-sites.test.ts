import { expect } from 'chai'
import { portsTaken } from '../../../../lib/reconcile/site/decision/ports-beside.ts'
import { meetEngine } from '../../../../lib/reconcile/site/identity/twin.ts'
import { type SiteWorld, sitesOf } from '../../../../lib/reconcile/site/site.ts'
import { claim, giveUp } from '../../../../lib/reconcile/site/writer/become-writer.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import { desired, identity } from '../../../support/builders/builders.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'
import { manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const ids = { version: '27.0.0', os: 'linux', architecture: 'amd64' }

/** An environment on so many engines, each with the id that it is given. */
function environmentOn(count: number, idOf: (index: number) => string) {
  const engines = Array.from({ length: count }, (_, index) => ({
    ...memoryEngine({ site: `store-${index}` }),
    info: async () => ({ ...ids, id: idOf(index), host: `store-${index}` }),
  }))
  const { worlds, close } = memoryWorlds({ files: manifestOf('prod', {}), engines })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  return { world, close }
}

describe('an environment on very many sites', () => {
  for (const [which, idOf] of [
    ['each of its own engine', (index: number) => `engine-${index}`],
    ['of copied machines, whose engines have one id', () => 'copied'],
  ] as const)
    it(`D17 G17 gives up those that leave without a look at all others for each of them: ${which}`, async () => {
      const left = new Map<number, { readonly sites: readonly SiteWorld[]; close(): unknown }>()
      for (const count of [100, 1_000]) {
        const { world, close } = environmentOn(count, idOf)
        const sites = sitesOf(world)
        for (const site of sites)
          await claim(site, identity('prod'), { isPatient: false, begins: 'at once' }, signal)
        left.set(count, { sites, close })
      }
      const giveUpAll = async (count: number) => {
        for (const site of left.get(count)?.sites ?? []) await giveUp(site)
      }
      expect(await growth(giveUpAll, 100)).to.be.below(mostInProportion)
      for (const { close } of left.values()) await close()
    })

  it('G17 P12 tells each Swarm whose ports it may not take without a look at all other sites', async () => {
    const wanted = desired({ tag: '2' })
    const swarms = new Map<number, { readonly world: World; readonly sites: readonly SiteWorld[] }>()
    for (const count of [100, 1_000]) {
      const { world } = environmentOn(count, index => `engine-${index}`)
      for (const site of sitesOf(world)) await meetEngine(site, signal)
      const asSwarms = sitesOf(world).map(site => ({
        ...site,
        engine: {
          ...site.engine,
          takenPorts: async () => [],
          asHost: async () => ({ id: 'manager', host: site.engine.site }),
        },
      }))
      swarms.set(count, { world, sites: asSwarms })
    }
    const tellAll = async (count: number) => {
      for (const site of swarms.get(count)?.sites ?? [])
        await portsTaken(site, wanted, async () => wanted, signal)
    }
    expect(await growth(tellAll, 100)).to.be.below(mostInProportion)
  })
})
