import { expect } from 'chai'
import { warned } from './warned.ts'

describe('labels in expressions that no site has', () => {
  it('A21 G13 are told with their place, each once, and with the one that was probably meant', () => {
    expect(warned('regoin = north or regoin = south or shelf')).to.deep.equal([
      'deployments/web.yaml:4:22: no site of the environment has the label "regoin"; did you mean "region"? (label-unknown)',
      'deployments/web.yaml:4:22: no site of the environment has the label "shelf" (label-unknown)',
    ])
    const canary = 'deploy-to-sites:\n  healthy-time: 1m\n  canary-sites: {match-site-labels: lap}\n'
    expect(warned('region', canary)).to.deep.equal([
      'deployments/web.yaml:7:37: no site of the environment has the label "lap"; did you mean "lab"? (label-unknown)',
    ])
  })

  it('A21 are not told where all is well: of labels that sites have, built-in ones, and those that exclude sites some day', () => {
    expect(warned('system/type = edge and system/name ~ ^n and not (lab or closed)')).to.deep.equal([])
    expect(warned('not (lap or closed)'), 'unless it is nearly one that there is').to.have.lengthOf(1)
    expect(warned('not not closed')).to.have.lengthOf(1)
    expect(warned('closed and not closed')).to.have.lengthOf(1)
  })
})
