import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import type { MemoryDaemon } from '../../../../support/memory/memory-daemon.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'
const asked = { skipConfirmation: false }

/** What the plan of an environment warns of, once something in it waits for an approval. */
async function warnings(daemon: MemoryDaemon, on = 1): Promise<readonly string[]> {
  const result = await waitUntil('it waits for an approval', async () => {
    await daemon.pass()
    const [found] = daemon.results()
    return found !== undefined && found.waiting.length >= on && found
  })
  return (result.plan?.warnings ?? []).map(({ code, message }) => `${message} (${code})`)
}

function completes(fleet: Fleet): Promise<boolean> {
  return waitUntil('all sites have it', async () => {
    fleet.nowMs += minute
    await fleet.daemon.pass()
    const { state, sites } = await fleet.status()
    return state === 'done' && sites.done === 4
  })
}

/** All sites have version 1 again, after version 2 failed on the canary. */
async function failedAndBack(): Promise<Fleet> {
  await using stack = new AsyncDisposableStack()
  const fleet = stack.use(await Fleet.start(filesOf('1', canary)))
  await completes(fleet)
  fleet.failing = 'c'
  fleet.commit(filesOf('2', canary))
  await fleet.until('aborted', 0)
  fleet.commit(filesOf('1', canary))
  await completes(fleet)
  stack.move()
  return fleet
}

describe('a plan of a version that failed on a site before', () => {
  it('A33 G7 G13 warns where, when and why, until that site was found healthy with it', async () => {
    await using fleet = await failedAndBack()
    fleet.commit(filesOf('3', canary, asked))
    expect(await warnings(fleet.daemon), 'another version').to.deep.equal([])
    fleet.commit(filesOf('2', canary, asked))
    const told = (await warnings(fleet.daemon)).map(text => text.replace(/1970-\S+ \S+:\d\d/, 'TIME'))
    expect(told).to.deep.equal(['shop: 2 failed on c at TIME: exited with code 1 (version-failed-before)'])
    fleet.commit(filesOf('2', canary))
    await completes(fleet)
    fleet.commit(filesOf('1', canary))
    await completes(fleet)
    fleet.commit(filesOf('2', canary, asked))
    expect(await warnings(fleet.daemon), 'it was healthy since').to.deep.equal([])
  })

  it('A33 D4 is discarded with its id, and goes nowhere then', async () => {
    await using fleet = await failedAndBack()
    fleet.commit(filesOf('2', canary, asked))
    expect((await warnings(fleet.daemon)).length).to.equal(1)
    const [result] = fleet.daemon.results()
    await fleet.daemon.ask(`POST /api/v1/plans/${result?.plan?.id}/discard`, { who: 'ann' })
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('D18 G7 G13 warns where it failed on another site, without a deployment, and not where it is quarantined', async () => {
    let [silent, failing] = ['', '']
    const engines = ['store-1', 'store-2'].map(site => {
      const engine = memoryEngine({ distribution: everyImage, site })
      return {
        ...engine,
        observe: async (...args: Parameters<typeof engine.observe>) => {
          if (site === silent) throw new Failure('engine-unreachable', `${site}: nobody answers`)
          return engine.observe(...args)
        },
        execute: async (...args: Parameters<typeof engine.execute>) => {
          if (site === failing && args[0].do === 'await-healthy')
            throw new Failure('exited-early', `${site}: exited with code 1\nwhat it wrote last`)
          return engine.execute(...args)
        },
      }
    })
    const files = (version: string, more: object) => manifestOf('prod', { shop: version }, more)
    const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
    await using daemon = await memoryDaemon({
      files: files('1', { skipConfirmation: true }),
      engines,
      clock: { nowMs: () => nowMs, steadyMs: () => nowMs },
    })
    await daemon.pass()
    silent = 'store-2'
    failing = 'store-1'
    daemon.commit(files('2', { skipConfirmation: true }), '2'.repeat(40))
    await daemon.pass()
    silent = ''
    daemon.commit(files('2', asked), '3'.repeat(40))
    await warnings(daemon)
    const told = daemon
      .results()
      .flatMap(({ parts = [] }) =>
        parts.map(({ site, plan }) => [site, ...(plan?.warnings ?? []).map(({ message }) => message)]),
      )
    expect(told).to.deep.equal([
      ['store-1'],
      ['store-2', 'shop: 2 failed on store-1 at 2026-01-02 03:04:05: exited with code 1'],
    ])
  })
})
