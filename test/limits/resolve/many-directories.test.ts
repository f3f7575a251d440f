import { expect } from 'chai'
import { limits } from '../../../lib/limits.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { prod } from '../../unit/resolve/resolve-prod.ts'

describe('what single sites get otherwise', () => {
  it('A70 G24 of 10,000 directories for no site, the first are told and the others are counted', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`environments/prod/sites/s${n}/manifest.json`, '{}']),
    )
    const sites = () => ({ here: new Map([['north', labelsOf([])]]), elsewhere: new Set<string>() })
    const { warnings } = await prod({ services: [] }, files, { sites })
    expect(warnings).to.have.length(limits.problemsOfFile)
    expect(warnings.at(-1)?.notListed).to.equal(10_000 - limits.problemsOfFile + 1)
  })
})
