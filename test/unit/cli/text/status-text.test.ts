import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../lib/cli/text/status-text.ts'
import type { StatusDocument } from '../../../../lib/reconcile/status/status-document.ts'

const nothing: StatusDocument = {
  ...{ environment: 'prod', daemon: true, sync: 'OutOfSync', suspensions: [], errors: [], applications: [] },
  ...{ ingress: [], engines: [] },
}
const running = { since: '2026-01-01T00:00:00Z', changes: ['west/web/web'] }
const waiting = { plan: 'aaaa', since: '2026-01-01T00:00:01Z' }

function linesOf(parts: Partial<StatusDocument>): readonly string[] {
  return printed(statusLines({ ...nothing, ...parts }, 0), false)
    .split('\n')
    .slice(1)
    .filter(line => line !== '')
}

describe('the status in words', () => {
  it('G13 says what waits beside what is under way on another site', () => {
    expect(linesOf({ running, waiting })).to.deep.equal([
      '  under way since 2026-01-01T00:00:00Z: west/web/web',
      '  waits since 2026-01-01T00:00:01Z: tallyman approve aaaa',
    ])
  })

  it('G13 says what was discarded beside what is under way on another site', () => {
    const declined = { plan: 'bbbb', who: 'ann', at: '2026-01-01T00:00:02Z' }
    expect(linesOf({ running, declined })).to.deep.equal([
      '  under way since 2026-01-01T00:00:00Z: west/web/web',
      '  plan bbbb was discarded by ann at 2026-01-01T00:00:02Z',
    ])
  })
})
