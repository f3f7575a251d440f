import { expect } from 'chai'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { withFound } from '../../../../../lib/reconcile/status/application/found-by-pass.ts'

/** `web` on its way from 1.0 to 3.0, as it was seen before a step that is done by now. */
const before: ApplicationStatus = {
  ...{ site: 'local', application: 'web', sync: 'OutOfSync', health: 'Healthy', version: '1.0' },
  ...{ wantedVersion: '3.0', running: 1, wanted: 1, commit: 'one', reason: '' },
  queue: [
    { version: '2.0', state: 'next' },
    { version: '3.0', state: 'later' },
  ],
}
const found: ApplicationStatus = {
  ...before,
  ...{ version: '2.0', commit: 'two', running: 0, reason: 'not deployed yet' },
  queue: [{ version: '3.0', state: 'next' }],
}

describe('what a pass that still runs has found', () => {
  it('G13 A65 tells in which version an application was there of which the next step has begun since', () => {
    const open = { site: 'local', application: 'web' }
    expect(withFound([before], [found], [open])).to.deep.equal([
      { ...before, version: '2.0', commit: 'two', queue: found.queue },
    ])
  })

  it('G13 takes the place of what was seen of an application of which nothing has begun', () => {
    expect(withFound([before], [found], [])).to.deep.equal([found])
  })
})
