import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { observeAhead, observeAll } from '../../../lib/reconcile/observe.ts'
import type { Memory } from '../../../lib/reconcile/world.ts'
import type { DesiredState } from '../../../lib/state/desired.ts'
import { desired } from '../../support/builders.ts'
import { memoryEngine } from '../../support/memory-engine.ts'
import { snapshotOf } from '../../support/snapshot.ts'

const { signal } = new AbortController()

describe('observing several sites', () => {
  const scope = desired({ name: 'web' })

  it('G17 asks all of them before one has answered, and tells them in the order of the configuration', async () => {
    const asked: string[] = []
    const slow = Promise.withResolvers<void>()
    const site = (name: string, answers: Promise<void>) => ({
      ...memoryEngine({ site: name }),
      async observe() {
        asked.push(name)
        await answers
        return { site: name, containers: [] }
      },
    })
    const engines = [site('store-2', slow.promise), site('store-1', Promise.resolve())]
    const seen = observeAll(engines, scope, signal)
    expect(asked).to.deep.equal(['store-2', 'store-1'])
    slow.resolve()
    expect((await seen).sites.map(({ site }) => site)).to.deep.equal(['store-2', 'store-1'])
    expect((await seen).unreachable).to.deep.equal([])
  })

  it('G17 tells of those that answer, and why the others do not, whatever their answer was', async () => {
    const refused = new Failure('engine-unreachable', 'store-1: nobody answers')
    const refusing = (site: string, reason: unknown) => ({
      ...memoryEngine({ site }),
      observe: () => Promise.reject(reason),
    })
    const engines = [
      refusing('store-1', refused),
      memoryEngine({ site: 'store-2' }),
      refusing('store-3', new TypeError('x is not a function')),
    ]
    const { sites, unreachable } = await observeAll(engines, scope, signal)
    expect(sites.map(({ site }) => site)).to.deep.equal(['store-2'])
    expect(unreachable.map(({ site, failure }) => `${site} ${failure.code}`)).to.deep.equal([
      'store-1 engine-unreachable',
      'store-3 internal',
    ])
  })

  it('D17 asks each for what is of this environment and this repository, until the pass is told to stop', async () => {
    const given: unknown[] = []
    const engine = {
      ...memoryEngine(),
      observe: async (...all: unknown[]) => {
        given.push(...all)
        return { site: 'local', containers: [] }
      },
    }
    await observeAll([engine], scope, signal)
    expect(given).to.deep.equal([scope, signal])
  })
})

describe('observing while the source is asked', () => {
  it('looks once, whatever the source answers, for the containers are the same ones', async () => {
    const { looks, ahead } = begin({ claimed: true, known: of('shop') })
    expect(looks()).to.equal(1)
    expect((await ahead(of('shop'))).sites.map(({ site }) => site)).to.deep.equal(['local'])
    expect(looks()).to.equal(1)
  })

  it('looks anew for another environment', async () => {
    const { looks, ahead } = begin({ claimed: true, known: of('shop') })
    await ahead(of('office'))
    expect(looks()).to.equal(2)
  })

  it('D17 looks anew for an environment of that name in another repository', async () => {
    const { looks, ahead } = begin({ claimed: true, known: of('shop') })
    await ahead({ ...of('shop'), source: 'another/repository' })
    expect(looks()).to.equal(2)
  })

  it('looks anew when the source took five seconds to answer', async () => {
    const { looks, ahead, wait } = begin({ claimed: true, known: of('shop') })
    wait(5_000)
    await ahead(of('shop'))
    expect(looks()).to.equal(2)
  })

  it('looks only once it knows what is wanted, in the first pass', async () => {
    const { looks, ahead } = begin({ claimed: true })
    expect(looks()).to.equal(0)
    await ahead(of('shop'))
    expect(looks()).to.equal(1)
  })

  it('looks only once it is the one that writes: another process may just have written', async () => {
    const { looks, ahead } = begin({ claimed: false, known: of('shop') })
    expect(looks()).to.equal(0)
    await ahead(of('shop'))
    expect(looks()).to.equal(1)
  })
})

function of(environment: string): DesiredState {
  return { ...desired({ name: 'web' }), environment }
}

/** Begins to observe an engine that counts how often it is looked at. */
function begin({ claimed, known }: { readonly claimed: boolean; readonly known?: DesiredState }) {
  let looks = 0
  let steadyMs = 0
  const engine = memoryEngine()
  const counting = {
    ...engine,
    observe: (...given: Parameters<typeof engine.observe>) => {
      looks += 1
      return engine.observe(...given)
    },
  }
  const memory: Memory = {
    claimed,
    ...(known === undefined
      ? {}
      : {
          desired: {
            commit: known.revision.commit,
            snapshot: snapshotOf({}),
            directory: 'environments/test',
            resolved: known,
            secrets: { isAsked: false, mark: '' },
            ingressMark: '',
            besides: '',
            pinned: known,
            settled: true,
            tags: { checkedMs: 0, moved: [] },
          },
        }),
  }
  const ahead = observeAhead({ engines: [counting], memory, steadyMs: () => steadyMs }, signal)
  return {
    looks: () => looks,
    ahead,
    wait: (ms: number) => {
      steadyMs += ms
    },
  }
}
