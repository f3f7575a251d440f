import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { startSiteLoop } from '../../../../../lib/reconcile/loop/site/site-loop.ts'
import { desiredState } from '../../../../../lib/reconcile/repository/desired.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { sitesOf } from '../../../../../lib/reconcile/site/site.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import type { MemoryEngine } from '../../../../support/memory/memory-engine.ts'

/** Nothing has to end before the loop begins. */
const after = Promise.resolve()

/** When the loop of a site makes its next pass by itself after the first one, and why that one failed. */
async function afterFirst(engine: Partial<MemoryEngine>) {
  const { worlds } = memoryWorlds({
    files: manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
    engine: { distribution: everyImage, ...engine },
  })
  const ending = new AbortController()
  const { signal } = ending
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
  const [site] = sitesOf(world)
  if (site === undefined) throw new Error('there is one')
  const ended = Promise.withResolvers<PassResult>()
  const options = { pollMs: 60_000, signal, random: () => 0.5, onResult: ended.resolve, after }
  const loop = startSiteLoop(site, { wanted, look: 1 }, 'start', options)
  const { errors } = await ended.promise
  const { nextMs } = loop.state()
  ending.abort()
  await loop.ended
  return { told: errors.map(({ code, retry }) => `${code} ${retry}`), isDue: nextMs !== undefined }
}

describe('the loop of a site', () => {
  it('G17 D5 makes no pass by itself while only a registry does not answer, which another loop asks', async () => {
    const silence = new Failure('registry-unreachable', 'registry.example.com: no answer')
    expect(await afterFirst({ distribution: () => Promise.reject(silence) })).to.deep.equal({
      told: ['digest-unknown backoff'],
      isDue: false,
    })
  })

  it('G12 G17 makes one by itself when the site did not answer', async () => {
    const silence = new Failure('engine-unreachable', 'local: no answer')
    expect(await afterFirst({ observe: () => Promise.reject(silence) })).to.deep.equal({
      told: ['engine-unreachable backoff'],
      isDue: true,
    })
  })

  it('G12 G17 goes by what was offered last when its turn comes', async () => {
    const { worlds, commit } = memoryWorlds({
      files: manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
      engine: { distribution: everyImage },
    })
    const [world] = worlds
    const [site] = world === undefined ? [] : sitesOf(world)
    if (world === undefined || site === undefined) throw new Error('there is one')
    const ending = new AbortController()
    const { signal } = ending
    const first = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
    commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }))
    const newer = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
    const ended = Promise.withResolvers<void>()
    const commits: (string | undefined)[] = []
    const onResult = ({ desired }: PassResult) => {
      commits.push(desired?.revision.commit)
      // The second pass looks at what the first one did.
      if (commits.length === 2) ended.resolve()
    }
    const options = { pollMs: 60_000, signal, random: () => 0.5, onResult, after }
    const loop = startSiteLoop(site, { wanted: first, look: 1 }, 'start', options)
    await Promise.resolve()
    loop.offer({ wanted: newer, look: 2 }, 'poll')?.()
    await ended.promise
    ending.abort()
    await loop.ended
    expect(commits).to.deep.equal(['2'.repeat(40), '2'.repeat(40)])
    expect(loop.state().look).to.equal(2)
  })
})
