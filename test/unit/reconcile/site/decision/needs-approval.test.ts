import { expect } from 'chai'
import type { Change, Plan } from '../../../../../lib/plan/change/change.ts'
import {
  type ConfirmationRules,
  itemsOf,
  judge,
  stillDeclined,
} from '../../../../../lib/reconcile/site/decision/needs-approval.ts'
import { change, desired } from '../../../../support/builders/builders.ts'
import {
  removal as removing,
  repair as repairing,
  restoration,
} from '../../../../support/builders/changes.ts'

const rules: ConfirmationRules = {
  skipConfirmation: false,
  prune: 'confirm',
  drift: 'repair',
  approved: [],
  running: 10,
}

const update = change({ application: 'web' })
const removal = removing({ application: 'old' })
const bare = change({ application: 'shop', isSpecificationGone: true })
const behind = change({ application: 'web', after: [{ key: 'local/old/old', must: 'succeed' }] })
const later = change({ application: 'web', after: [{ key: 'local/old/old', must: 'end' }] })
const repair = repairing({ application: 'web' })
const otherVolumes = ['prod.db.data'] as const
const remade = { ...repair, otherVolumes }
const putBack = restoration({ application: 'shop', otherVolumes })
const wayBack = { ...remade, application: 'cart', isWayBack: true } as const
const alone = removing({ application: 'tallyman-ingress', goesWithLast: true })
const along = { ...alone, after: [{ key: 'local/old/old', must: 'succeed' }] } as const
const oldImages = removing({ application: 'old images', cause: 'unneeded' })
const scaleDown = change({ application: 'web', action: 'remove', cause: 'diverged', target: 'target-3' })

function planWith(...changes: readonly Change[]): Plan {
  const { environment, revision } = desired()
  return { id: 'this plan', environment, revision, changes, blocked: [], unseen: [], warnings: [] }
}

/** An approval of these changes, given for some plan. */
function approvalOf(changes: readonly Change[], planId = 'an earlier plan') {
  return itemsOf(changes).map(item => ({ ...item, planId }))
}

/** `go`, `go by skipConfirmation` or `wait`, one word per change. */
function words(changes: readonly Change[], parts: Partial<ConfirmationRules> = {}): readonly string[] {
  const { go, wait, skipped } = judge(planWith(...changes), { ...rules, ...parts })
  return changes.map(change =>
    skipped.includes(change)
      ? 'go by skipConfirmation'
      : go.includes(change)
        ? 'go'
        : wait.includes(change)
          ? 'wait'
          : 'neither',
  )
}

describe('who has to be asked', () => {
  const cases: readonly (readonly [
    string,
    readonly Change[],
    Partial<ConfirmationRules>,
    readonly string[],
  ])[] = [
    [
      'A26 D3 what goes with a removal is asked about together with it',
      [removal, along],
      {},
      ['wait', 'wait'],
    ],
    [
      'A26 D3 X18 an approval of the removal covers it',
      [removal, along],
      { approved: approvalOf([removal]) },
      ['go', 'go'],
    ],
    ['A26 what goes with what is gone already needs no word', [alone], {}, ['go']],
    ['E22 every change waits for a word', [update, scaleDown], {}, ['wait', 'wait']],
    [
      'E22 skipConfirmation answers for what the manifest says',
      [update, scaleDown],
      { skipConfirmation: true },
      ['go by skipConfirmation', 'go by skipConfirmation'],
    ],
    [
      'D3 G11 what comes after a removal waits with it, though nobody has to be asked about it',
      [behind, removal],
      { skipConfirmation: true },
      ['neither', 'wait'],
    ],
    [
      'G11 what only has to come later does not',
      [later, removal],
      { skipConfirmation: true },
      ['go by skipConfirmation', 'wait'],
    ],
    [
      'D3 skipConfirmation never answers for a removal by omission',
      [update, removal],
      { skipConfirmation: true },
      ['go by skipConfirmation', 'wait'],
    ],
    [
      'D16 skipConfirmation never answers for an application that lost its specification',
      [update, bare],
      { skipConfirmation: true },
      ['go by skipConfirmation', 'wait'],
    ],
    [
      'D16 D3 "prune: auto" answers for an application that lost its specification',
      [update, bare],
      { prune: 'auto' },
      ['wait', 'go'],
    ],
    [
      'D3 "prune: auto" answers for removals, and for nothing else',
      [update, removal],
      { prune: 'auto' },
      ['wait', 'go'],
    ],
    ['D9 drift is repaired under the approval of what it drifted from', [repair], {}, ['go']],
    ['D4 D9 G23 a repair that makes a volume otherwise is asked about', [remade], {}, ['wait']],
    ['D4 G23 and so is what puts back what ran, if it does', [putBack, wayBack], {}, ['wait', 'wait']],
    [
      'D4 D9 skipConfirmation answers for that',
      [remade],
      { skipConfirmation: true },
      ['go by skipConfirmation'],
    ],
    ['D4 D9 an approval of that release covers it', [remade], { approved: approvalOf([remade]) }, ['go']],
    ['D9 "drift: confirm" asks for every repair', [repair], { drift: 'confirm' }, ['wait']],
    [
      'D9 "drift: confirm" lets skipConfirmation answer',
      [repair],
      { drift: 'confirm', skipConfirmation: true },
      ['go by skipConfirmation'],
    ],
    [
      'D9 "drift: confirm" does not take the approval of the rollout for that of its repair',
      [repair],
      { drift: 'confirm', approved: approvalOf([change({ target: 'target-1' })]) },
      ['wait'],
    ],
    [
      'D9 "drift: confirm" takes the approval of this very plan',
      [repair],
      { drift: 'confirm', approved: approvalOf([repair], 'this plan') },
      ['go'],
    ],
    ['G5 an undo that was interrupted is finished without a word', [restoration()], {}, ['go']],
    ['D4 an approval covers what it names', [update], { approved: approvalOf([update]) }, ['go']],
    [
      'D4 an approval covers what is left of it after a crash: a start where a create was approved',
      [change({ action: 'start' })],
      { approved: approvalOf([change({ action: 'create' })]) },
      ['go'],
    ],
    [
      'D18 what leads back from an attempt of tallyman needs no word, whatever is said of drift',
      [repairing({ isWayBack: true })],
      { drift: 'report' },
      ['go'],
    ],
    [
      'D4 D18 an approval does not cover another release, though the target is the same',
      [change({ release: 'release-3' })],
      { approved: approvalOf([update]) },
      ['wait'],
    ],
    [
      'D4 an approval does not cover another service of the application',
      [change({ service: 'db' })],
      { approved: approvalOf([update]) },
      ['wait'],
    ],
    [
      'D4 the approval of a rollout does not cover a removal to the same target',
      [scaleDown],
      { approved: approvalOf([change({ target: 'target-3' })]) },
      ['wait'],
    ],
    [
      'D4 the approval of a removal does not cover a rollout to the same target',
      [change({ target: 'target-3' })],
      { approved: approvalOf([scaleDown]) },
      ['wait'],
    ],
    ['D3 an approval covers a removal it names', [removal], { approved: approvalOf([removal]) }, ['go']],
    [
      'D4 an approval of all leaves nothing to skipConfirmation',
      [update, removal],
      { approved: approvalOf([update, removal]), skipConfirmation: true },
      ['go', 'go'],
    ],
    ['A6 old images go without a word: the operator has said so', [oldImages], {}, ['go']],
    [
      'G13 what is held is not asked about',
      [change({ held: { code: 'suspended', reason: 'freeze' } })],
      { skipConfirmation: true },
      ['neither'],
    ],
  ]
  for (const [title, changes, parts, expected] of cases) {
    it(title, () => {
      expect(words(changes, parts)).to.deep.equal(expected)
    })
  }
})

describe('a removal of much', () => {
  const much = (instances: number) => removing({ application: `old-${instances}`, instances })

  const cases: readonly (readonly [string, readonly number[], number, string])[] = [
    ['G4 half of what runs goes under "prune: auto"', [5], 10, 'go'],
    ['G4 more than half of what runs waits even then', [6], 10, 'wait'],
    ['G4 so do several that are more than half together', [3, 3], 10, 'wait'],
    ['G4 the only one that runs is not much', [1], 1, 'go'],
    ['G4 both of two are much', [2], 2, 'wait'],
  ]
  for (const [title, removed, running, expected] of cases) {
    it(title, () => {
      const changes = removed.map(much)
      expect(words(changes, { prune: 'auto', running })).to.deep.equal(removed.map(() => expected))
    })
  }

  it('G4 goes once a person has said so', () => {
    const changes = [much(6)]
    expect(words(changes, { prune: 'auto', running: 10, approved: approvalOf(changes) })).to.deep.equal([
      'go',
    ])
  })

  it('A6 G4 is none of images', () => {
    const images = { ...oldImages, instances: 9 }
    expect(words([images, much(1)], { prune: 'auto', running: 10 })).to.deep.equal(['go', 'go'])
  })

  it('G4 does not count what is held', () => {
    const held = { ...much(6), held: { code: 'prune-never', reason: 'only reports' } } as const
    expect(words([held, much(1)], { prune: 'auto', running: 10 })).to.deep.equal(['neither', 'go'])
  })

  it('D4 what a person said no to does not wait; what is covered goes on', () => {
    const other = change({ application: 'api' })
    const verdict = judge(planWith(other, repair), { ...rules, discarded: true })
    expect(verdict).to.deep.equal({
      go: [repair],
      wait: [],
      declined: [other],
      skipped: [],
      behind: new Map(),
    })
  })

  it('G13 D3 says after what else each change comes that nobody has to be asked about', () => {
    const api = change({ application: 'api', after: [{ key: 'local/web/web', must: 'succeed' }] })
    const free = change({ application: 'free', after: [{ key: 'local/old/old', must: 'end' }] })
    const plan = planWith(api, behind, free, removal)
    expect(judge(plan, { ...rules, skipConfirmation: true }).behind).to.deep.equal(
      new Map([
        ['local/web/web', { key: 'local/old/old', must: 'succeed' }],
        ['local/api/api', { key: 'local/web/web', must: 'succeed' }],
      ]),
    )
    expect(judge(plan, rules).behind, 'it is asked about itself').to.deep.equal(new Map())
  })

  it('D4 D18 what was declined is not asked about again because something else goes on, or is kept as it was', () => {
    const other = change({ application: 'shop' })
    const asked = judge(planWith(update, removal, other), rules)
    const verdict = stillDeclined(asked, [update, removal])
    expect([verdict.wait, verdict.declined]).to.deep.equal([[other], [update, removal]])
    const newer = { ...update, release: 'another' }
    expect(stillDeclined(judge(planWith(newer), rules), [update]).wait).to.deep.equal([newer])
    const approved = judge(planWith(update), { ...rules, approved: approvalOf([update]) })
    expect(stillDeclined(approved, [update]).go, 'somebody approved it since').to.deep.equal([update])
  })
})
