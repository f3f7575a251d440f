import { expect } from 'chai'
import type { ApplicationStatus } from '../../../../lib/reconcile/status/application/application-status.ts'
import type { LastState } from '../../../../lib/reconcile/status/last-state.ts'
import { onceReached } from '../../../../lib/reconcile/status/once-reached.ts'

const web: ApplicationStatus = {
  ...{ site: 'west', application: 'web', sync: 'Synced', health: 'Healthy', version: '1', running: 1 },
  ...{ wanted: 1, commit: 'c1', reason: '' },
}
const silent = { ...web, reason: 'the site does not answer', seenAt: 'then', since: 'then' }
const gone = {
  ...{ code: 'engine-unreachable', message: 'west: gone', hint: 'Look.', resource: 'west' },
  retry: 'backoff',
} as const
const failed = { ...gone, code: 'unhealthy', message: 'web: no', resource: 'west/web/web' } as const
const state: LastState = {
  ...{ outcome: 'failed', sync: 'Unknown', errors: [failed], isSeen: false, applications: [silent] },
}

describe('what was last known of a site, once a pass has seen it', () => {
  it('G13 is not that it is unreachable, and says of its applications what they were before', () => {
    const { code, message, hint } = gone
    const unreached = { ...state, unreachable: [{ site: 'west', since: 'then', code, message, hint }] }
    expect(onceReached(unreached, 'west')).to.deep.equal({
      ...state,
      applications: [
        { ...web, reason: 'the site answers again; the version and the health shown are from before that' },
      ],
    })
  })

  it('G13 is no error of the only site itself, while those of its services stay', () => {
    expect(onceReached({ ...state, errors: [gone, failed] }, 'west').errors).to.deep.equal([failed])
  })

  it('G13 is otherwise what the last pass saw', () => {
    const seen = { ...state, isSeen: true, errors: [gone, failed], applications: [web] }
    expect(onceReached(seen, 'west')).to.deep.equal(seen)
  })
})
