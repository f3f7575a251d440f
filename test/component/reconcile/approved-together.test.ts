import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import { identity } from '../../support/builders/builders.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../support/memory/memory-daemon.ts'
import {
  memoryEngine,
  runningOn,
  type SilentAtTimes,
  silentAtTimes,
} from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'
import { unlessItHangs } from '../../support/time/hangs.ts'

describe('an environment whose sites are approved together', () => {
  it('G8 D4 is not taken to be what was shown once a site is silent, which asks when it is back', async () => {
    await using scene = await waiting()
    const { daemon, store1, store2 } = scene
    const shown = await scene.asks()
    store1.isSilent = true
    await daemon.pass()
    const rest = await scene.asks()
    expect(rest).to.equal(scene.planOf('store-2'))
    expect(await refused(daemon.ask(`POST /api/v1/plans/${shown}/approve`))).to.match(
      new RegExp(`^plan-changed: plan ${shown} does not wait for an answer; these wait: ${rest}`),
    )
    await daemon.ask(`POST /api/v1/plans/${rest}/approve`)
    await daemon.pass()
    store1.isSilent = false
    await daemon.pass()
    expect([runningOn(store1), runningOn(store2)]).to.deep.equal([[], ['web:1']])
    expect(await scene.asks()).to.equal(scene.planOf('store-1'))
  })

  it('D4 G17 reaches a site that was silent since, as it was shown and approved', async () => {
    await using scene = await waiting()
    const { daemon, store1, store2 } = scene
    const shown = await scene.asks()
    store1.isSilent = true
    await daemon.ask(`POST /api/v1/plans/${shown}/approve`)
    await daemon.pass()
    expect([runningOn(store1), runningOn(store2)]).to.deep.equal([[], ['web:1']])
    store1.isSilent = false
    await daemon.pass()
    expect(runningOn(store1)).to.deep.equal(['web:1'])
  })

  it('D4 asks for a site that joins later with the same changes', async () => {
    const journal = knowingJournal()
    const [store1, store2, joining] = ['store-1', 'store-2', 'store-3'].map(site => siteOf(site))
    if (store1 === undefined || store2 === undefined || joining === undefined) throw new Error('three sites')
    {
      await using scene = await waiting(journal, [store1, store2])
      await scene.daemon.ask(`POST /api/v1/plans/${await scene.asks()}/approve`)
      await scene.daemon.pass()
    }
    await using scene = await waiting(journal, [store1, store2, joining])
    expect([store1, store2, joining].map(runningOn)).to.deep.equal([['web:1'], ['web:1'], []])
    expect(await scene.asks()).to.equal(scene.planOf('store-3'))
  })

  it('D4 is what was shown for the sites that it names, also if others were looked at since', async () => {
    const sites = ['store-1', 'store-2', 'store-3'].map(site => siteOf(site))
    const [store1, store2, late] = sites
    if (store1 === undefined || store2 === undefined || late === undefined) throw new Error('three sites')
    late.isSilent = true
    await using scene = await waiting(knowingJournal(), sites)
    const shown = await scene.asks()
    late.isSilent = false
    await scene.daemon.pass()
    expect(await scene.asks(), 'another plan, of three sites').not.to.equal(shown)
    expect(await scene.daemon.ask(`POST /api/v1/plans/${shown}/approve`)).to.include({ changes: 2 })
    await scene.daemon.pass()
    expect(sites.map(runningOn)).to.deep.equal([['web:1'], ['web:1'], []])
    expect(await scene.asks()).to.equal(scene.planOf('store-3'))
  })

  it('D4 is left alone by a no where nothing had begun, and goes on where it had', async () => {
    await using scene = await waiting()
    const { daemon, store1, store2 } = scene
    const shown = await scene.asks()
    store1.isSilent = true
    await daemon.ask(`POST /api/v1/plans/${shown}/approve`)
    await daemon.pass()
    expect(await daemon.ask(`POST /api/v1/plans/${shown}/discard`)).to.deep.equal({
      discarded: shown,
      environment: 'prod',
      begun: ['store-2'],
    })
    store1.isSilent = false
    await daemon.pass()
    expect([runningOn(store1), runningOn(store2)]).to.deep.equal([[], ['web:1']])
    const [{ outcome }] = await daemon.ask('GET /api/v1/environments')
    expect(outcome).to.equal('declined')
  })

  it('D4 has the id that status shows, in whichever order its sites are configured', async () => {
    await using scene = await waiting(knowingJournal(), ['store-2', 'store-1'].map(siteOf))
    const id = await scene.asks()
    expect(await scene.daemon.ask(`POST /api/v1/plans/${id}/approve`)).to.include({
      approved: id,
      changes: 2,
    })
  })
})

describe('a repair that is asked about', () => {
  it('D9 D4 is asked about anew each time: what was approved once is used up', async () => {
    const store1 = siteOf('store-1')
    await using scene = await waiting(knowingJournal(), [store1], { drift: 'confirm' })
    const { daemon } = scene
    await daemon.ask(`POST /api/v1/plans/${await scene.asks()}/approve`)
    await daemon.pass()
    const asked = []
    for (const _ of ['once', 'twice']) {
      const [container = ''] = store1.has().containers.keys()
      const nobody = { environment: 'prod', source: '', address: '', directory: '', commit: '' }
      await store1.execute({ do: 'stop-container', container }, nobody, unlessItHangs())
      await daemon.pass()
      expect(runningOn(store1)).to.deep.equal([])
      asked.push(await scene.asks())
      await daemon.ask(`POST /api/v1/plans/${asked.at(-1)}/approve`)
      await daemon.pass()
      expect(runningOn(store1)).to.deep.equal(['web:1'])
    }
    expect(asked[1], 'the same repair').to.equal(asked[0])
  })
})

function siteOf(site: string): SilentAtTimes {
  return silentAtTimes(memoryEngine({ site, distribution: everyImage }))
}

/** A journal that knows the environment, so that no engine has to say what it is called. */
function knowingJournal(): Journal {
  const journal = memoryJournal()
  journal.setEnvironment(identity('prod'))
  return journal
}

/** A daemon over sites that all wait to get `web`. */
async function waiting(
  journal = knowingJournal(),
  sites: readonly SilentAtTimes[] = ['store-1', 'store-2'].map(siteOf),
  more: object = {},
) {
  const engines: readonly Engine[] = sites
  const config = {
    sites: sites.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })),
    ...more,
  }
  const files = manifestOf('prod', { web: '1' })
  const daemon = await memoryDaemon({ environments: ['prod'], files, engines, config, journal })
  await daemon.pass()
  const [store1, store2] = sites
  if (store1 === undefined) throw new Error('no site')
  return {
    daemon,
    store1,
    store2: store2 ?? store1,
    /** The plan that waits for an answer, as `status` says. */
    asks: () => asks(daemon),
    planOf: (site: string) => journal.waiting('prod').find(one => one.site === site)?.planId,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

async function asks(daemon: MemoryDaemon): Promise<string> {
  const [{ waiting }] = await daemon.ask('GET /api/v1/environments')
  return waiting?.plan ?? 'none'
}
