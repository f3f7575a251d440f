import { expect } from 'chai'
import type { Journal } from '../../../lib/journal/journal.ts'
import { round } from '../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../lib/reconcile/site/pass-request.ts'
import { commitHistory, hex, web } from '../../support/git/commit-history.ts'
import { memoryEngine, runningOn } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const apply: RoundRequest = {
  ...{ trigger: 'poll', until: 'apply', freshness: { maxAgeMs: 0, lastGood: true } },
  answer: { who: 'ann', via: 'flag' },
}
const word = { environment: 'prod', reason: '', who: 'lou', atMs: 0 }

/**
 * Version 1.0 of `web` runs, and a pass decides that 2.0 begins. What that pass and the next one come to if somebody says
 * this before it has begun, and what runs in the end.
 */
async function saidBeforeItBegins(say: (journal: Journal) => void): Promise<readonly string[]> {
  const engine = memoryEngine()
  const { world, newest } = commitHistory({ 1: web('1.0', '1'), 2: web('2.0', '2') }, {}, engine)
  newest('1')
  await round(world, apply, signal)
  newest('2')
  const first = await round(world, { ...apply, onJudged: () => say(world.journal) }, signal)
  const next = await round(world, apply, signal)
  return [first.outcome, next.outcome, ...runningOn(engine)]
}

describe('what somebody says after a pass has decided, and before it begins', () => {
  for (const [what, application] of [
    ['the application', 'web'],
    ['the environment', undefined],
  ] as const)
    it(`G14 holds back what was to begin: a suspension of ${what}`, async () => {
      const seen = await saidBeforeItBegins(journal =>
        journal.suspend({ ...word, ...(application === undefined ? {} : { application }) }),
      )
      expect(seen).to.deep.equal(['superseded', 'in-sync', 'web:1'])
    })

  it('G14 holds back nothing else: a suspension of another application', async () => {
    const seen = await saidBeforeItBegins(journal => journal.suspend({ ...word, application: 'api' }))
    expect(seen).to.deep.equal(['applied', 'in-sync', 'web:2'])
  })

  it('A12 lets no version begin that was just left: a rollback that holds the one before', async () => {
    const seen = await saidBeforeItBegins(journal =>
      journal.holdVersion({ ...word, application: 'web', version: '1.0', commit: hex('1', 40) }),
    )
    expect(seen).to.deep.equal(['superseded', 'in-sync', 'web:1'])
  })
})
