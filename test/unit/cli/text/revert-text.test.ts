import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { linesOf } from '../../../../lib/cli/text/revert-text.ts'

const environment = { name: 'prod', directory: 'environments/prod' }
const [head, then] = ['8'.repeat(40), '5'.repeat(40)]

/** The first line of a proposal that brings back version 1. */
function told(from: { readonly version?: string }, application?: string): string {
  const to = { commit: then, ...(application === undefined ? {} : { version: '1' }) }
  const going = { environment, ...(application === undefined ? {} : { application }) }
  const lines = linesOf({
    told: { ...going, from: { ...from, commit: head }, to },
    branch: { name: 'refs/heads/main', commit: head },
    ...{ files: [], diff: '', staying: [] },
  })
  return printed(lines, false).split(', by a commit')[0] ?? ''
}

describe('the way back in words', () => {
  it('A12 names the versions of an application, and the commits of an environment', () => {
    expect(told({ version: '2' }, 'web')).to.equal('web in prod goes back from 2 to 1 (555555555555)')
    expect(told({})).to.equal('prod goes back from 888888888888 to 555555555555')
  })

  it('A12 takes no commit for the version of an application that is not named any more', () => {
    expect(told({}, 'web')).to.equal('web in prod goes back to 1 (555555555555)')
  })
})
