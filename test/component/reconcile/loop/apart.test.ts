import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { Failure } from '../../../../lib/errors.ts'
import { passesBeside } from '../../../../lib/reconcile/loop/site/meanwhile/beside.ts'
import { takeOver } from '../../../../lib/reconcile/loop/site/meanwhile/take-over.ts'
import { desiredState } from '../../../../lib/reconcile/repository/desired.ts'
import { sitesOf } from '../../../../lib/reconcile/site/site.ts'
import { change } from '../../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()

/** A site whose engine is known, where a deploy ran, and which does not answer when it is looked at. */
async function scene() {
  const engine: Engine = {
    ...memoryEngine({ distribution: everyImage }),
    async observe() {
      throw new Failure('engine-unreachable', 'it does not answer')
    },
  }
  const { worlds } = memoryWorlds({ files: manifestOf('prod', { web: '1' }), engine })
  const [world] = worlds
  const [site] = world === undefined ? [] : sitesOf(world)
  if (world === undefined || site === undefined) throw new Error('there is one')
  const { engines, deploys } = world.memory
  engines.meet('local', 'E1')
  deploys.seen('local', [{ application: 'shop', container: 'shop-deploy' }])
  const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
  return {
    ...{ world, site, wanted },
    judge: takeOver(site, wanted, {
      ...{ begun: [], underWay: () => [change()], spared: () => undefined, signal },
      ...{ controller: new AbortController(), onWait: () => undefined, onStanding: () => undefined },
    }),
    /** Which engine it is, as far as is known, and for which site a deploy elsewhere waits. */
    async remembered() {
      const stopped = new AbortController()
      const waits: string[] = []
      const deploy = { site: 'west', application: 'shop', version: '2', container: 'west-deploy' }
      const turn = deploys.enter(deploy, other => waits.push(other), stopped.signal).catch(() => undefined)
      stopped.abort()
      await turn
      return { engine: engines.engineOf('local'), waits }
    },
  }
}

describe('a look at a site beside a pass that changes something there', () => {
  it('D17 P5 remembers that the engine does not answer, if it asks whether another pass may take over', async () => {
    const { judge, wanted, remembered } = await scene()
    expect(await remembered()).to.deep.equal({ engine: 'E1', waits: ['local'] })
    await judge(wanted, 'nobody')
    expect(await remembered()).to.deep.equal({ engine: undefined, waits: [] })
  })

  it('D17 P5 remembers so, too, if it looks for what is to be repaired', async () => {
    const { site, wanted, remembered } = await scene()
    const looked = Promise.withResolvers<void>()
    const beside = passesBeside(site, {
      ...{ wanted: () => wanted, underWay: () => [change()], spared: undefined, signal },
      ...{ settleMs: 0, random: () => 0, onNews: () => undefined, onEvent: () => undefined },
      onResult: () => looked.resolve(),
    })
    beside.heard('other')
    await looked.promise
    await beside.end()
    expect(await remembered()).to.deep.equal({ engine: undefined, waits: [] })
  })

  it('D17 P5 remembers nothing once the environment has left the site', async () => {
    const { world, judge, wanted } = await scene()
    world.memory.forget('local')
    world.memory.engines.meet('local', 'E2')
    await judge(wanted, 'nobody')
    expect(world.memory.engines.engineOf('local')).to.equal('E2')
  })
})
