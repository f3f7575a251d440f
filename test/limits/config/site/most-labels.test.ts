import { expect } from 'chai'
import { stringify } from 'yaml'
import { checkConfig } from '../../../../lib/config.ts'

/** What is wrong with a configuration of one site with these labels. */
const faultsOf = (labels: object) =>
  checkConfig('tallyman.yaml', stringify({ sites: [{ name: 'a', labels }] })).problems.map(
    ({ message }) => message,
  )

describe('the labels of a site', () => {
  it('G24 are at most 100 of a site, and none has a value without end', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`label-${index}`, 'x']))
    expect(faultsOf(many)).to.deep.equal(['/sites/0/labels must have at most 100 entries'])
    const [fault = ''] = faultsOf({ note: 'x'.repeat(500_000) })
    expect(fault).to.match(/^\/sites\/0\/labels\/note must be a text of at most 256 characters/)
    expect(fault.length).to.be.below(300)
  })
})
