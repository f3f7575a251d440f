import { expect } from 'chai'
import { closedText } from '../../../../../lib/fleet/window/window.ts'
import { linesOf } from '../../../../unit/cli/text/status-lines.ts'

describe('the status in words', () => {
  it('G13 A60 never cuts when the window opens, whatever the zone is called, in a row and in the queue', () => {
    for (const zone of ['America/Argentina/ComodRivadavia', ...Intl.supportedValuesOf('timeZone')]) {
      const reason = closedText({ isOpen: false, opens: { ms: 0, zone } })
      const queue = ['2', '3'].map(version => ({ version, state: 'next', reason }) as const)
      const web = { application: 'web', site: 'a', version: '1', running: 1, commit: '', reason, queue }
      const lines = linesOf({ applications: [{ ...web, sync: 'OutOfSync', health: 'Healthy' }] })
      expect(lines.filter(line => line.endsWith(` ${zone}`))).to.have.lengthOf(3)
    }
  })
})
