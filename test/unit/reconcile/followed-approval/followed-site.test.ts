import { expect } from 'chai'
import type { Ended } from '../../../../lib/reconcile/followed-approval/followed.ts'
import {
  endOfApproved,
  type FollowedSite,
  howFar,
} from '../../../../lib/reconcile/followed-approval/followed-site.ts'
import type { DoneChange } from '../../../../lib/reconcile/loop/pass-ends.ts'
import type { SiteLoopState } from '../../../../lib/reconcile/loop/site/site-loop-state.ts'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'

const last: PassResult = {
  ...{ site: 'local', passId: 7, outcome: 'planned', sync: 'OutOfSync' },
  ...{ errors: [], waiting: [], results: [], status: [] },
}

const web = { site: 'local', application: 'web', service: 'web' }
const hook = { site: 'local', application: 'slow', service: 'slow' }

function done(parts: Partial<DoneChange> = {}): DoneChange {
  const result = { result: 'applied', isRemoved: false, errors: [] } as const
  return { ...web, ...result, release: '2', passId: 7, atMs: 30, ...parts }
}

function running(...changes: readonly string[]): SiteLoopState {
  return { last, look: 1, judged: 5, running: { sinceMs: 20, changes } }
}

/** Release 2 of `web` was approved. The look that follows that is the third. */
function followed(parts: Partial<FollowedSite> = {}): FollowedSite {
  return {
    approved: [{ ...web, release: '2', isRemoved: false, atMs: 10 }],
    ...{ done: [], state: running('local/slow/slow'), isSettled: false, look: 3 },
    isOwnService: ({ service }) => !service.startsWith('network '),
    ...parts,
  }
}

describe('what was approved on a site', () => {
  it('G13 has ended once all of it has, while others go on', () => {
    expect(howFar(followed({ done: [done()] }))).to.equal('ended-beside-others')
    expect(howFar(followed({ state: running('local/web/web', 'local/slow/slow') }))).to.equal('goes-on')
  })

  it('G13 has not while anything goes on that comes with it', () => {
    for (const key of ['local/web/other', 'local/tallyman-ingress/proxy', 'local/prod.web/network prod.web'])
      expect(howFar(followed({ done: [done()], state: running('local/slow/slow', key) })), key).to.equal(
        'goes-on',
      )
  })

  it('G13 D4 has where it waits again, once that was judged after the approval', () => {
    const state = running('local/slow/slow')
    expect(howFar(followed({ state }))).to.equal('ended-beside-others')
    expect(howFar(followed({ state: { ...state, judged: 2 } }))).to.equal('goes-on')
  })

  it('G12 has not while it begins as soon as another pass can take over', () => {
    const running = { sinceMs: 20, changes: ['local/slow/slow'], coming: ['local/web/web'] }
    expect(howFar(followed({ state: { last, look: 1, judged: 5, running } }))).to.equal('goes-on')
  })

  it('G6 has not because another release of it failed or was put back meanwhile', () => {
    const state = running('local/web/web', 'local/slow/slow')
    expect(howFar(followed({ state, done: [done({ release: '1', result: 'rolled-back' })] }))).to.equal(
      'goes-on',
    )
    expect(howFar(followed({ done: [done({ result: 'rolled-back' })] }))).to.equal('ended-beside-others')
  })

  it('X18 has not between two versions that it gets one after the other, and has once one of them fails', () => {
    const approved = ['2', '3'].map(release => ({ ...web, release, isRemoved: false, atMs: 10 }))
    expect(howFar(followed({ approved, done: [done()] }))).to.equal('goes-on')
    expect(howFar(followed({ approved, done: [done(), done({ release: '3' })] }))).to.equal(
      'ended-beside-others',
    )
    expect(howFar(followed({ approved, done: [done({ result: 'rolled-back' })] }))).to.equal(
      'ended-beside-others',
    )
  })

  it('G12 has not ended with a pass that gave way to the next one', () => {
    const state: SiteLoopState = { look: 3, last: { ...last, outcome: 'superseded' } }
    expect(howFar(followed({ state, isSettled: true }))).to.equal('goes-on')
    expect(howFar(followed({ state, isSettled: true, done: [done()] }))).to.equal('ended')
  })

  const whole: Ended = { passId: 7, outcome: 'partially-applied', sync: 'Synced', errors: [], waiting: 0 }

  it('G6 G13 ended as the pass did in which nothing else was carried out', () => {
    expect(endOfApproved(followed({ done: [done()] }), last, whole)).to.equal(whole)
  })

  it('G6 G13 ended without what failed of others in the same pass', () => {
    const others = done({ ...hook, result: 'failed' })
    expect(endOfApproved(followed({ done: [done(), others] }), last, whole)).to.deep.equal({
      ...{ passId: 7, outcome: 'applied', sync: 'Synced', errors: [], waiting: 0 },
    })
  })

  it('G6 G13 ended with what failed of it in an earlier pass, and why', () => {
    const api = { ...web, application: 'api', service: 'api', release: '2' }
    const error = { code: 'unhealthy', message: 'api fails', hint: 'Look.', retry: 'never' } as const
    const failed = done({ ...api, passId: 6, result: 'rolled-back', errors: [error] })
    const approved = [web, api].map(one => ({ ...one, release: '2', isRemoved: false, atMs: 10 }))
    const end = endOfApproved(followed({ approved, done: [failed, done()] }), last, whole)
    expect([end.outcome, end.errors]).to.deep.equal(['partially-applied', [error]])
  })
})
