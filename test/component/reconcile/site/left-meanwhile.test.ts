import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { Failure } from '../../../../lib/errors.ts'
import { desiredState } from '../../../../lib/reconcile/repository/desired.ts'
import { pass } from '../../../../lib/reconcile/site/pass.ts'
import { sitesOf } from '../../../../lib/reconcile/site/site.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const names = ['east', 'west']

/**
 * What is remembered of `west` once a pass over it has ended that waited for its engine to say who it is, while the
 * environment left the site. Another site of the environment is ours.
 */
async function rememberedOf(
  answer: (info: Engine['info'], signal: AbortSignal) => ReturnType<Engine['info']>,
) {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const west = memoryEngine({ site: 'west', distribution: everyImage })
  const { info } = west
  const slow: Engine = {
    ...west,
    async info(signal) {
      asked.resolve()
      await left.promise
      return answer(info, signal)
    },
  }
  const engines = [memoryEngine({ site: 'east', distribution: everyImage }), slow]
  const { worlds, journal } = memoryWorlds({
    ...{
      environments: ['prod'],
      engines,
      files: manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
    },
    config: { sites: names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
  })
  const [world] = worlds
  const [here, gone] = world === undefined ? [] : sitesOf(world)
  if (world === undefined || here === undefined || gone === undefined) throw new Error('there are two')
  const stopping = new AbortController()
  const { signal } = stopping
  const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: false }, signal)
  const request = { trigger: 'poll', until: 'apply', isRepeated: true } as const
  await pass(here, wanted, request, signal)
  const ending = pass(gone, wanted, request, signal)
  await asked.promise
  world.memory.forget('west')
  stopping.abort()
  left.resolve()
  await ending
  const { whose, engines: known } = world.memory
  return {
    whose: whose.of('west'),
    engine: known.engineOf('west'),
    served: journal.servedAs('prod', 'west on west')?.site,
    areTwoOurs: whose.areOurs(2, false),
  }
}

const nothing = { whose: undefined, engine: undefined, served: undefined, areTwoOurs: false }

describe('a pass over a site that the environment leaves meanwhile', () => {
  it('D17 G17 leaves nothing behind under its name: its engine never answered', async () => {
    const silence = async () => {
      throw new Failure('interrupted', 'the wait was ended')
    }
    expect(await rememberedOf(silence)).to.deep.equal(nothing)
  })

  it('D17 G17 leaves nothing behind under its name: its engine answered just then', async () => {
    expect(await rememberedOf((info, signal) => info(signal))).to.deep.equal(nothing)
  })
})
