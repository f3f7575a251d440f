import { expect } from 'chai'
import {
  leadsFromAll,
  noPathText,
  pathMatcher,
  runningBeside,
} from '../../../../lib/state/fleet/upgrade-path.ts'

describe('an upgrade path', () => {
  it('A42 has to lead from all that runs besides the version itself', () => {
    expect(runningBeside('2', new Set(['1', '2']))).to.deep.equal(['1'])
    expect(runningBeside('3', new Set(['1', '2']))).to.deep.equal(['1', '2'])
    expect(leadsFromAll('^1', ['1.0', '1.1'], pathMatcher())).to.equal(true)
    expect(leadsFromAll('^1', ['1.0', '2.0'], pathMatcher())).to.equal(false)
  })

  it('A42 leads from nowhere where its expression cannot be read', () => {
    expect(leadsFromAll('(', ['1.0'], pathMatcher())).to.equal(false)
  })

  it('A42 G13 is told to be missing with all that it would have to lead from, in order', () => {
    expect(noPathText(['2.0', '1.0'], '3.0')).to.equal(
      'no entry of "upgrade-from" leads from 1.0 and 2.0 to 3.0',
    )
    expect(noPathText([''], '')).to.equal('no entry of "upgrade-from" leads from no version to this one')
  })
})
