import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import {
  type RunningPassOptions,
  runPass,
} from '../../../../../../lib/reconcile/loop/site/meanwhile/running-pass.ts'
import type { AskedBy } from '../../../../../../lib/reconcile/loop/site/meanwhile/take-over.ts'
import type { SiteLoopState } from '../../../../../../lib/reconcile/loop/site/site-loop-state.ts'
import { desiredState } from '../../../../../../lib/reconcile/repository/desired.ts'
import { sitesOf } from '../../../../../../lib/reconcile/site/site.ts'
import type { Files } from '../../../../../support/builders/snapshot.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../../support/memory/memory-engine.ts'

const other = 'prod.other.1.dde55d62'

/**
 * A pass that leaves `web` alone for a while, because it failed before, and makes `other`, whose health is waited for
 * without end. These asked for something while it was still looking.
 */
function passAskedBy(...asked: readonly AskedBy[]) {
  return passWith({ asked, spared })
}

const spared: RunningPassOptions['spared'] = {
  ...{ failures: 1, isUnseen: false, untilMs: Number.POSITIVE_INFINITY },
  applications: new Map([['local/web', { code: 'pull-failed', isLater: true, reason: 'it failed before' }]]),
}

/** What is different about such a pass. */
type Parts = Partial<Pick<RunningPassOptions, 'spared' | 'last'>> & {
  readonly asked?: readonly AskedBy[]
  /** What the repository has besides. */
  readonly files?: Files
}

async function passWith({ asked = [], files: more = {}, ...parts }: Parts) {
  const ending = new AbortController()
  const { signal } = ending
  const engine = memoryEngine({ distribution: everyImage, waits: [`await-healthy ${other}`] })
  const files = { ...manifestOf('prod', { web: '1', other: '1' }, { skipConfirmation: true }), ...more }
  const { worlds } = memoryWorlds({ files, engine })
  const [world] = worlds
  const [site] = world === undefined ? [] : sitesOf(world)
  if (world === undefined || site === undefined) throw new Error('there is one')
  const offer = { wanted: await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal), look: 7 }
  let state: SiteLoopState = { look: 0, running: { sinceMs: 0, changes: [] } }
  let known = 0
  const options: RunningPassOptions = {
    ...{
      pollMs: undefined,
      signal,
      settleMs: 0,
      random: () => 0.5,
      last: parts.last,
      onResult: () => undefined,
    },
    spared: parts.spared,
    ...{ newest: () => offer, early: () => undefined, isAsked: () => false },
    ...{ onLooked: () => undefined, onBegun: () => undefined },
    onKnown: () => {
      known += 1
    },
    change: next => {
      state = next(state)
    },
  }
  const running = runPass(site, offer, 'poll', options)
  for (const by of asked) running.asked(by)
  // It began to change something, and whatever asked was judged, which may have ended it.
  for (let turns = 0; known < 1 + Math.min(asked.length, 1) && turns < 10_000; turns += 1) await turn()
  for (let turns = 0; turns < 100; turns += 1) await turn()
  const { judged, last } = state
  ending.abort(new Error('over'))
  const { outcome } = await running.result
  return {
    outcome,
    judged,
    isTold: last !== undefined,
    made: engine.done.filter(step => step.startsWith('create-container')),
  }
}

describe('a pass that is asked for something while it still looks', () => {
  const made = [`create-container ${other}`]

  it('G12 G17 goes on where nobody asks, or only the interval does, and what failed is left alone', async () => {
    expect(await passAskedBy()).to.deep.include({ made, judged: 7, outcome: 'interrupted' })
    expect(await passAskedBy('nobody')).to.deep.include({ made, judged: 7, outcome: 'interrupted' })
  })

  for (const asked of [['a-person'], ['a-person', 'nobody'], ['nobody', 'a-person']] as const)
    it(`G12 G17 makes way for the next one, which tries what failed, where these asked: ${asked.join(', ')}`, async () => {
      expect((await passAskedBy(...asked)).outcome).to.equal('superseded')
    })
})

describe('a pass that begins to change something', () => {
  const superseded: RunningPassOptions['last'] = {
    ...{ outcome: 'superseded', sync: 'OutOfSync', errors: [], waiting: [], results: [], status: [] },
  }
  const broken: Files = { 'applications/web.yaml': 'name: web\nservices: 7\n' }

  it('G13 tells at once how the site stands, where that says more than what is being changed', async () => {
    expect((await passWith({})).isTold, 'all that there is').to.equal(false)
    expect((await passWith({ spared })).isTold, 'something is held').to.equal(true)
    expect((await passWith({ files: broken })).isTold, 'something is blocked').to.equal(true)
    expect((await passWith({ last: superseded })).isTold, 'the one before was broken off').to.equal(true)
  })
})
