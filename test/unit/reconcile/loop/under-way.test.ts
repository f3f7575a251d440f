import { expect } from 'chai'
import {
  afterEvent,
  afterLook,
  afterSeen,
  type UnderWay,
  underWayTogether,
  underWayWith,
  withNewer,
} from '../../../../lib/reconcile/loop/under-way.ts'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'
import { change } from '../../../support/builders/builders.ts'
import { repair } from '../../../support/builders/changes.ts'

const web = { site: 'west', application: 'web', service: 'web' }
const revision = {
  ...{ ref: 'main', commit: '2'.repeat(40), author: 'ann', subject: 'careless' },
  time: '2026-01-01T00:00:00Z',
}
const begun: UnderWay = { sinceMs: 7, changes: ['west/web/web'] }

type Event = Pick<StepEvent, 'step' | 'phase' | 'note'>

function toldAfter(before: UnderWay, event: Event, stage: StepEvent['stage'] = 'change'): UnderWay {
  return afterEvent(before, { ...web, stage, ...event })
}

/** What is under way after these events, as `step` or `step: note`. */
function following(...events: readonly Event[]): string | undefined {
  const { step, note } = events.reduce<UnderWay>((before, event) => toldAfter(before, event), begun)
  return note === undefined ? step : `${step}: ${note}`
}

describe('what is under way', () => {
  it('G13 tells the tasks of each service of a Swarm as they were seen last, on all sites', () => {
    const first = { ...web, wanted: 2, running: 0, earlier: 2, nodes: [] }
    const [api, later] = [
      { ...first, service: 'api' },
      { ...first, running: 2, earlier: 0 },
    ]
    const seen = [first, api, later].reduce<UnderWay>(afterLook, begun)
    const { tasks } = toldAfter(seen, { step: 'a', phase: 'done' })
    expect(tasks).to.deep.equal([api, later])
    const east = { ...begun, tasks: [{ ...first, site: 'east' }] }
    expect(underWayTogether([begun, seen, east], undefined)?.tasks).to.deep.equal([
      ...[api, later],
      { ...first, site: 'east' },
    ])
    expect(underWayTogether([begun], undefined)).not.to.have.property('tasks')
  })

  it('G13 keeps that the site was seen, whatever is begun and done there after that', () => {
    const seen = afterSeen({ sinceMs: 7, changes: [] }, 'west')
    const told = toldAfter(
      underWayWith(seen, [], () => [], revision, 8),
      { step: 'a', phase: 'done' },
    )
    expect([seen.reached, told.reached]).to.deep.equal(['west', 'west'])
    expect(toldAfter(begun, { step: 'a', phase: 'done' })).not.to.have.property('reached')
  })

  it('G13 D18 tells what goes back: of what is begun, and what is undone after that, on all sites', () => {
    const of = (service: string) => ({ ...web, service })
    const [forth, api, db] = [change(web), repair({ ...of('api'), isWayBack: true }), repair(of('db'))]
    const both = underWayWith({}, [forth, api, db], () => [], revision, 7)
    expect(both.back).to.deep.equal([of('api')])
    const step = { step: 'a', phase: 'started' } as const
    expect(toldAfter(both, step).back, 'it goes forth').to.deep.equal([of('api')])
    const undone = toldAfter(toldAfter(toldAfter(both, step, 'undo'), step, 'undo'), step)
    expect(undone.back).to.deep.equal([of('api'), web])
    expect(underWayTogether([begun, undone], undefined)?.back).to.deep.equal([of('api'), web])
    expect(underWayWith({}, [forth], () => [], revision, 7)).not.to.have.property('back')
    expect(underWayTogether([begun], undefined)).not.to.have.property('back')
  })

  it('G13 tells which commit is under way, and which one waits for it, through all that happens, on all sites', () => {
    const newer = {
      commit: '3'.repeat(40),
      subject: 'revert',
      reason: 'west/web/web needs an approval in it',
    }
    const before = withNewer(
      underWayWith({}, [], () => [], revision, 7),
      newer,
    )
    const events = ['started', 'noted', 'done'] as const
    const now = events.reduce<UnderWay>((one, phase) => toldAfter(one, { step: 'a', phase }), before)
    const { commit } = revision
    expect([now.revision?.commit, now.newer]).to.deep.equal([commit, newer])
    const other = { ...revision, commit: 'b'.repeat(40) }
    expect(underWayTogether([{ ...begun, revision: other }, now], undefined)).to.not.have.property('revision')
    const together = underWayTogether([{ ...begun, revision }, now], undefined)
    expect([together?.revision?.commit, together?.newer]).to.deep.equal([commit, newer])
    expect(withNewer(now, undefined)).not.to.have.property('newer')
  })

  it('G13 tells the step that began last', () => {
    expect(following()).to.equal(undefined)
    expect(following({ step: 'a', phase: 'started' }, { step: 'b', phase: 'started' })).to.equal('b')
    expect(following({ step: 'a', phase: 'started' }, { step: 'a', phase: 'done' })).to.equal('a')
  })

  it('G13 tells the step that is waited for, and none that began after it and has ended', () => {
    const both = [
      { step: 'a', phase: 'started' },
      { step: 'b', phase: 'started' },
    ] as const
    expect(following(...both, { step: 'b', phase: 'done' })).to.equal('a')
    expect(following(...both, { step: 'a', phase: 'done' })).to.equal('b')
    const noted = [...both, { step: 'a', phase: 'noted', note: 'no suitable node' }] as const
    expect(
      following(...noted, { step: 'b', phase: 'noted', note: 'pulls' }, { step: 'b', phase: 'done' }),
    ).to.equal('a: no suitable node')
  })

  it('G13 tells the step that says why it waits, and its latest words, until it has ended', () => {
    const waits = [
      { step: 'a', phase: 'started' },
      { step: 'a', phase: 'noted', note: 'no suitable node' },
    ] as const
    expect(following(...waits)).to.equal('a: no suitable node')
    expect(following(...waits, { step: 'b', phase: 'started' })).to.equal('a: no suitable node')
    expect(following(...waits, { step: 'b', phase: 'started' }, { step: 'b', phase: 'done' })).to.equal(
      'a: no suitable node',
    )
    expect(following(...waits, { step: 'a', phase: 'noted', note: '1 of 2 tasks run' })).to.equal(
      'a: 1 of 2 tasks run',
    )
    for (const phase of ['done', 'failed', 'skipped'] as const)
      expect(following(...waits, { step: 'a', phase }, { step: 'b', phase: 'started' })).to.equal('b')
  })

  it('G13 tells of several sites the step that says why it waits', () => {
    const other = { sinceMs: 5, changes: ['east/web/web'], step: 'b' }
    expect(underWayTogether([], undefined)).to.equal(undefined)
    expect(underWayTogether([], 3)).to.deep.equal({ sinceMs: 3, changes: [] })
    expect(
      underWayTogether([other, { ...begun, step: 'a', note: 'no suitable node' }], undefined),
    ).to.deep.equal({
      ...{ sinceMs: 5, changes: ['east/web/web', 'west/web/web'] },
      ...{ step: 'a', note: 'no suitable node' },
    })
    expect(underWayTogether([begun, other], undefined)).to.deep.include({ step: 'b' })
  })
})
