import { expect } from 'chai'
import type { Engine } from '../../../../../lib/engine.ts'
import type { ErrorCode } from '../../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { throughEngines } from '../../../../../lib/reconcile/repository/commit/through-engines.ts'
import { createRegistryRotation } from '../../../../../lib/reconcile/repository/registry-routes.ts'
import { NoneReached } from '../../../../../lib/reconcile/site/result/why-unreached.ts'
import { later } from '../../../../../lib/wait/timer.ts'
import { failureOf } from '../../../../support/failures/failure-of.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { inPassingTime } from '../../../../support/time/passing-time.ts'

/** What a call of an engine comes to. */
type Says = 'answers' | 'hangs' | ErrorCode

/** How an engine answers who it is, what it has, and what a registry has. */
type Told = Says | { readonly info?: Says; readonly has?: Says; readonly registry?: Says }

const { signal } = new AbortController()
const tag = 'registry.example.com/web:1'

/** An environment on sites that are called `store-1`, `store-2`, …, and what it asks them. */
function environmentOn(told: readonly Told[], reachedBefore?: string) {
  const asked: string[] = []
  let reached = reachedBefore
  const engines = told.map((one, index): Engine => {
    const engine = memoryEngine({ site: `store-${index + 1}` })
    const says = typeof one === 'string' ? { info: one } : one
    const come = async <T>(call: string, how: Says = 'answers', given: AbortSignal, answer: T) => {
      asked.push(`${engine.site} ${call}`)
      if (how === 'hangs') return untilAborted(given)
      if (how !== 'answers') throw new Failure(how, `${engine.site}: ${how}`)
      return answer
    }
    const info = { id: '', host: engine.site, version: '', os: '', architecture: '' }
    const has = { id: engine.site, repoTags: [], repoDigests: [] }
    return {
      ...engine,
      info: given => come('info', says.info, given, info),
      localImage: (_, given) => come('has', says.has, given, has),
      distribution: (_, given) =>
        come('registry', says.registry, given, { digest: `of ${engine.site}`, mediaType: '' }),
    }
  })
  const routes = {
    reachedThrough: () => reached,
    setReachedThrough(_: string, site: string) {
      reached = site
    },
    rotation: createRegistryRotation(),
  }
  return {
    asked,
    reached: () => reached,
    /** Whom one look asks. */
    look: () => throughEngines(engines, routes, signal),
    /** The sites through which the registry was asked since this was asked last. */
    askedRegistry: () =>
      asked.splice(0).flatMap(call => (call.endsWith(' registry') ? call.replace(' registry', '') : [])),
  }
}

function untilAborted(given: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    given.addEventListener('abort', () => reject(new Failure('interrupted', 'it was told to stop')))
  })
}

const unreached = { registry: 'registry-unreachable' } as const

describe('the engine that is asked what it has', () => {
  const found = async (...told: readonly Told[]) => {
    const { look, asked } = environmentOn(told)
    const { end } = await inPassingTime(() => look().localImage(tag, signal))
    return { site: end?.id, asked }
  }

  it('G24 is the first one, and no other is asked if it answers', async () => {
    expect(await found('answers', 'answers', 'answers')).to.deep.equal({
      site: 'store-1',
      asked: ['store-1 info', 'store-1 has'],
    })
  })

  it('G17 is the next one if those before it do not answer', async () => {
    expect(await found('engine-unreachable', 'hangs', 'answers', 'answers')).to.deep.equal({
      site: 'store-3',
      asked: ['store-1 info', 'store-2 info', 'store-3 info', 'store-3 has'],
    })
  })

  it('G17 is the next one if it is lost in the middle, and the lost one is not asked again', async () => {
    const { look, asked } = environmentOn([{ has: 'engine-unreachable' }, 'answers'])
    const engine = look()
    for (const _ of [1, 2]) await engine.localImage(tag, signal)
    expect(asked).to.deep.equal([
      ...['store-1 info', 'store-1 has'],
      ...['store-2 info', 'store-2 has', 'store-2 has'],
    ])
  })

  it('is the only one, which is not asked beforehand', async () => {
    expect(await found('answers')).to.deep.equal({ site: 'store-1', asked: ['store-1 has'] })
  })

  it('A34 is none if none answers: of each site is said why, in the order of the configuration', async () => {
    const { look } = environmentOn([{ has: 'engine-unreachable' }, 'engine-denied'])
    const failure = await failureOf(look().localImage(tag, signal))
    if (!(failure instanceof NoneReached)) throw new Error(String(failure))
    expect([...failure.sites].map(([site, { code }]) => [site, code])).to.deep.equal([
      ['store-1', 'engine-unreachable'],
      ['store-2', 'engine-denied'],
    ])
  })
})

describe('the engine through which a registry is asked', () => {
  it('G21 is one alone where the first one reaches it', async () => {
    const { look, askedRegistry, reached } = environmentOn(['answers', 'answers'])
    await look().distribution(tag, signal)
    expect([askedRegistry(), reached()]).to.deep.equal([['store-1'], 'store-1'])
  })

  for (const why of ['registry-unreachable', 'engine-unreachable', 'engine-unsupported'] as const)
    it(`G17 is the next one if one could not ask it: ${why}`, async () => {
      const { look, askedRegistry, reached } = environmentOn([{ registry: why }, 'answers'])
      expect((await look().distribution(tag, signal)).digest).to.equal('of store-2')
      expect([askedRegistry(), reached()]).to.deep.equal([['store-1', 'store-2'], 'store-2'])
    })

  for (const word of [
    'image-not-found',
    'registry-denied',
    'registry-rate-limited',
    'registry-credentials-unreadable',
    'image-invalid',
  ] as const)
    it(`G21 is no other one for what is not because of the engine: ${word}`, async () => {
      const { look, askedRegistry } = environmentOn([{ registry: word }, 'answers'])
      expect((await failureOf(look().distribution(tag, signal))).code).to.equal(word)
      expect(askedRegistry()).to.deep.equal(['store-1'])
    })

  it('G21 is at first the one that reached it last', async () => {
    const { look, askedRegistry } = environmentOn(['answers', 'answers', 'answers'], 'store-3')
    await look().distribution(tag, signal)
    expect(askedRegistry()).to.deep.equal(['store-3'])
  })

  it('G17 is the first that answers if the one that reached it last is lost, or is no site any more', async () => {
    for (const before of ['store-2', 'store-9']) {
      const { look, reached } = environmentOn(['answers', { registry: 'engine-unreachable' }], before)
      await look().distribution(tag, signal)
      expect(reached()).to.equal('store-1')
    }
  })

  it('G17 is the next one, too, after five seconds in which one says nothing', async () => {
    const { look } = environmentOn([{ registry: 'hangs' }, 'answers'])
    const { end, passedMs } = await inPassingTime(() => look().distribution(tag, signal))
    expect([end.digest, passedMs]).to.deep.equal(['of store-2', 5_000])
  })

  it('G12 G24 is one of four at a look over 1,000 sites that do not reach it, and of others at the next', async () => {
    const { look, askedRegistry } = environmentOn(Array.from({ length: 1_000 }, () => unreached))
    const words: string[] = []
    for (const _ of [1, 2]) words.push((await failureOf(look().distribution(tag, signal))).message)
    expect(askedRegistry()).to.deep.equal([
      ...['store-1', 'store-2', 'store-3', 'store-4'],
      ...['store-1', 'store-5', 'store-6', 'store-7'],
    ])
    const same = 'store-1: registry-unreachable; no other site that was asked reached the registry'
    expect(words).to.deep.equal([same, same])
  })

  it('G17 is found in time, whichever it is', async () => {
    for (const good of [2, 6, 10]) {
      const told = Array.from(
        { length: 10 },
        (_, index): Told => (index + 1 === good ? 'answers' : unreached),
      )
      const { look, reached } = environmentOn(told)
      for (const _ of [1, 2, 3])
        await look()
          .distribution(tag, signal)
          .catch(() => undefined)
      expect(reached()).to.equal(`store-${good}`)
    }
  })

  it('G18 is not told as another one because others are lost at one look, and silent at the next', async () => {
    const words: string[] = []
    for (const other of ['engine-unreachable', 'registry-unreachable'] as const) {
      const { look } = environmentOn([unreached, { registry: other }])
      words.push((await failureOf(look().distribution(tag, signal))).message)
    }
    expect(words[0]).to.equal(words[1])
  })

  it('G12 is not waited for longer than whoever asks does, and others have their turn then', async () => {
    const { look, askedRegistry } = environmentOn(Array.from({ length: 9 }, () => ({ registry: 'hangs' })))
    for (const asked of [
      ['store-1', 'store-2', 'store-3', 'store-4'],
      ['store-1', 'store-5', 'store-6', 'store-7'],
    ]) {
      const { passedMs } = await inPassingTime(() => {
        const given = new AbortController()
        later(45_000, () => given.abort())
        return failureOf(look().distribution(tag, given.signal))
      })
      expect([passedMs, askedRegistry()]).to.deep.equal([45_000, asked])
    }
  })

  it('A34 is none if all are lost while they ask', async () => {
    const lost = { registry: 'engine-unreachable' } as const
    const { look } = environmentOn([lost, lost])
    expect(await failureOf(look().distribution(tag, signal))).to.be.instanceOf(NoneReached)
  })
})
