import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { unknownLabels } from '../../../lib/resolve/unknown-labels.ts'
import { parseDeployment } from '../../../lib/spec/deployment/parse.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'

const here = new Map([
  ['north', labelsOf([['region', 'north']])],
  ['lab', labelsOf([['lab', '']])],
])

/** The warnings about a deployment with this placement. */
function warned(placement: string, more = '', sites = here): readonly string[] {
  const text = `name: web\napplication: web\nplacement:\n  match-site-labels: ${placement}\n${more}`
  const file = parseDeployment('deployments/web.yaml', text)
  const deployments = file.state === 'valid' ? [file.deployment] : []
  return unknownLabels([file], deployments, { here: sites }).map(formatProblem)
}

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

  it('G24 are guessed for the first ones only where there are thousands of labels', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [`label${'x'.repeat(50)}${at}`, ''] as const)
    const expression = Array.from({ length: 100 }, (_, at) => `lable${'x'.repeat(50)}${at}`).join(' or ')
    const told = warned(expression, '', new Map([['north', labelsOf(many)]]))
    expect(told).to.have.lengthOf(100)
    expect(told.filter(text => text.includes('did you mean'))).to.have.lengthOf(4)
  })

  it('G24 are told in a limited number, and guessed for the first ones only', () => {
    const near = [...'abcdefghijklmopqrstuvwxyz'].map(letter => `regio${letter}`)
    const far = Array.from({ length: 500 }, (_, at) => `shelf${at}`)
    const told = warned([...near, ...far].join(' or '))
    expect(told).to.have.lengthOf(100)
    expect(told.filter(text => text.includes('did you mean'))).to.have.lengthOf(20)
  })
})
