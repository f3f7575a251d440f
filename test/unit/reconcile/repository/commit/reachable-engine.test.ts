import { expect } from 'chai'
import type { Engine } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { reachableEngine } from '../../../../../lib/reconcile/repository/commit/reachable-engine.ts'
import { NoneReached } from '../../../../../lib/reconcile/site/result/unreached.ts'
import { memoryEngine } from '../../../../support/memory-engine.ts'
import { inPassingTime } from '../../../../support/passing-time.ts'

type Says = 'answers' | 'refuses' | 'hangs'

/** The site whose engine is found, and those that were asked. */
async function found(...says: readonly Says[]) {
  const asked: string[] = []
  const engines = says.map((how, index): Engine => {
    const engine = memoryEngine({ site: `store-${index + 1}` })
    return {
      ...engine,
      info(signal) {
        asked.push(engine.site)
        if (how === 'answers') return engine.info(signal)
        if (how === 'hangs') return new Promise(() => {})
        return Promise.reject(new Failure('engine-unreachable', `${engine.site}: nobody answers`))
      },
    }
  })
  const { end } = await inPassingTime(() => reachableEngine(engines, new AbortController().signal))
  return { site: end.site, asked }
}

describe('the engine through which registries are asked', () => {
  it('G24 is the first one, and no other is asked if it answers', async () => {
    expect(await found('answers', 'answers', 'answers')).to.deep.equal({
      site: 'store-1',
      asked: ['store-1'],
    })
  })

  it('G17 is the next one if those before it do not answer', async () => {
    expect(await found('refuses', 'hangs', 'answers', 'answers')).to.deep.equal({
      site: 'store-3',
      asked: ['store-1', 'store-2', 'store-3'],
    })
  })

  it('is the first one if none answers, whose failure is told', async () => {
    expect(await found('refuses', 'refuses')).to.deep.equal({
      site: 'store-1',
      asked: ['store-1', 'store-2'],
    })
  })

  it('A34 says of each site why it does not answer, in the order of the configuration, once it is asked for an image', async () => {
    const engines = ['store-1', 'store-2'].map(site => ({
      ...memoryEngine({ site }),
      info: () => Promise.reject(new Failure('engine-denied', `${site}: denied`)),
    }))
    const { signal } = new AbortController()
    const engine = await reachableEngine(engines, signal)
    const failure = await engine.localImage('web:1', signal).catch((error: unknown) => error)
    if (!(failure instanceof NoneReached)) throw new Error(String(failure))
    expect([...failure.sites].map(([site, { code, message }]) => [site, code, message])).to.deep.equal([
      ['store-1', 'engine-denied', 'store-1: denied'],
      ['store-2', 'engine-denied', 'store-2: denied'],
    ])
  })

  it('is the only one, which is not asked beforehand', async () => {
    expect(await found('hangs')).to.deep.equal({ site: 'store-1', asked: [] })
  })
})
