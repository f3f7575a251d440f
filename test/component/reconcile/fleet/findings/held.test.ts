import { expect } from 'chai'
import type { Held } from '../../../../../lib/plan/hold/held.ts'
import { unseenPlan } from '../../../../../lib/plan/plan.ts'
import { findingsOf } from '../../../../../lib/reconcile/fleet/findings/findings.ts'
import type { HoldGround } from '../../../../../lib/reconcile/fleet/findings/hold-meaning.ts'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { waitOf } from '../../../../../lib/reconcile/status/deployment/deployment-words.ts'
import { change, desired } from '../../../../support/builders/builders.ts'
import { turn } from './turn.ts'

/** How a batch comes to an end in spite of what is held on one of its sites. */
const ends = {
  passed: 'is waited for by nobody',
  failed: 'ends the deployment',
  limited: 'is waited for until its time is over, and fails it then',
  told: 'is waited for, and the deployment says that something else has to change first',
  own: 'is what the deployment itself waits for, and says',
} as const

/** Every reason for which a change may be held. One that is missing does not compile. */
const grounds: Readonly<Record<HoldGround, keyof typeof ends>> = {
  barred: 'failed',
  'claim-held': 'told',
  'commit-unread': 'passed',
  'dependency-held': 'told',
  'deployment-stopped': 'own',
  'digest-unknown': 'passed',
  'drift-reported': 'limited',
  'empty-desired-state': 'limited',
  'ingress-unreachable': 'limited',
  'name-taken': 'limited',
  'no-upgrade-path': 'passed',
  'not-converging': 'failed',
  'not-its-turn': 'own',
  'not-placed': 'passed',
  'port-taken': 'limited',
  'prune-never': 'limited',
  quarantined: 'failed',
  suspended: 'passed',
  'tried-again': 'limited',
  'upgrade-deleted': 'passed',
  'version-unreadable': 'passed',
  'window-closed': 'passed',
}

function heldBy(ground: HoldGround): Held {
  const reason = 'it says why'
  switch (ground) {
    case 'tried-again':
      return { code: 'pull-failed', reason, isLater: true }
    case 'commit-unread':
      return { code: 'manifest-invalid', reason, isUnread: true }
    default:
      return { code: ground, reason }
  }
}

const [nowMs, deadlineMs] = [5, 60_000]

/** What becomes of a run of which a site has been drawn, and something of the version is held there. */
function endOf(ground: HoldGround): keyof typeof ends | 'endless' {
  const held = heldBy(ground)
  const plan = { ...unseenPlan(desired(), 'a'), unseen: [], changes: [change({ application: 'shop', held })] }
  const own: ApplicationStatus = {
    ...{ site: 'a', application: 'shop', sync: 'OutOfSync', health: 'Healthy', version: '1' },
    ...{ wantedVersion: '2', running: 1, wanted: 1, commit: '', reason: held.reason, code: held.code },
  }
  const [finding] = findingsOf(
    [{ ...turn, content: 'c2' }],
    {
      ...{ site: 'a', outcome: 'in-sync', sync: 'OutOfSync', errors: [], waiting: [], results: [] },
      ...{ plan, status: [own], contents: new Map([['shop', 'c2']]) },
    },
    { hasReached: () => false, unended: () => [], deadlineMs, nowMs },
  )
  if (finding?.isReady === false) return 'passed'
  if (finding?.fact?.kind === 'failed') return 'failed'
  if (finding?.fact?.kind === 'hindered' && finding.fact.untilMs === nowMs + deadlineMs) return 'limited'
  const stand = {
    ...turn.run.stand,
    wait: { for: 'sites', sites: ['a'], sinceMs: 0 } as const,
  }
  const seen = {
    on: new Map([['a', own]]),
    failed: new Map(),
    asked: new Set<string>(),
    unreached: new Map(),
  }
  const { state, reason } = waitOf(turn.run.of, stand, ['a'], seen)
  if (state === 'waiting' && reason.includes(held.reason)) return 'told'
  return ground === 'not-its-turn' || ground === 'deployment-stopped' ? 'own' : 'endless'
}

describe('a site of a batch on which something of the version is held', () => {
  for (const [ground, end] of Object.entries(grounds))
    it(`G12 G13 A33 ${ends[end]}: ${ground}`, () => {
      expect(endOf(ground as HoldGround)).to.equal(end)
    })
})
