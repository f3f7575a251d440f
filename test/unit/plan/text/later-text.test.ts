import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import type { Change } from '../../../../lib/plan/change/change.ts'
import type { LaterRelease } from '../../../../lib/plan/change/walk.ts'
import { laterLines } from '../../../../lib/plan/text/later-text.ts'
import { change } from '../../../support/builders/builders.ts'
import { removal } from '../../../support/builders/changes.ts'

const brings: LaterRelease = {
  ...{ service: 'web', release: 'r3', version: '3' },
  fields: [{ path: 'web/command', from: 'serve', to: 'serve --all' }],
  jobs: ['pre hook (Abort): migrate up'],
}

/** A step on the way to version 3 of `shop`. */
function step(site: string, later: readonly LaterRelease[] = [brings]): Change {
  return change({ site, application: 'shop', service: 'web', walk: { from: '1', by: ['2', '3'], later } })
}

function told(...changes: readonly Change[]): string {
  return printed(
    laterLines(changes, false, names => names.join(' and ')),
    false,
  )
}

const unknown = 'how it replaces the version before, and whether that can be noticed, is decided then'

const shown = `Afterwards, by the same approval, compared with what runs now:
  shop 3
        web: how it replaces the version before, and whether that can be noticed, is decided then
        web/command: serve → serve --all
        runs pre hook (Abort): migrate up
`

describe('what comes after a plan by the same approval', () => {
  it('G7 X18 is told field by field, with what runs once', () => {
    expect(told(step('local'))).to.equal(shown)
  })

  it('D7 X18 says of each version how it replaces the one before, and whether that can be noticed', () => {
    const how = { strategy: 'recreate', strategyReason: 'the volume is exclusive', downtime: true } as const
    expect(told(step('local', [{ ...brings, how }]))).to.include(
      '  shop 3\n        web: recreate: the volume is exclusive; with a short downtime\n        web/command',
    )
  })

  it('G7 X18 is told too if the application loses a service before it', () => {
    const removed = removal({ application: 'shop', service: 'old' })
    expect(told(removed, step('local'))).to.equal(shown)
  })

  it('G7 is told once of sites where it is the same, and says where nothing differs from what runs', () => {
    const same = { ...brings, fields: [], jobs: [] }
    expect(
      told(step('near'), step('far'), step('lab', [same]))
        .split('\n')
        .slice(1, -1),
    ).to.deep.equal([
      '  shop 3 on near and far',
      `        web: ${unknown}`,
      '        web/command: serve → serve --all',
      '        runs pre hook (Abort): migrate up',
      '  shop 3 on lab',
      `        web: ${unknown}`,
      '        as what runs now',
    ])
  })

  it('G7 is nothing where a plan has no further steps', () => {
    expect(told(change({}))).to.equal('')
  })
})
